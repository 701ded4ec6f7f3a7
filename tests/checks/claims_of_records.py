"""What checks/claims asks of records: of how they are written, joined, refused and adopted."""
import contextlib
import dataclasses
import io
import os
import subprocess
import tempfile
from pathlib import Path

import adopt
import records
import replicate
import tolerances
from made_up_claims import check, claim, entry, keyed_pages, made_up, times, values
from prober import Look, around, fault

SOURCE = Path(__file__).resolve().parents[2]


def read(page):
    with open(os.path.join(SOURCE, "papers", page), encoding="utf-8") as file:
        return file.read()


def merging():
    """New entries take the place of old ones, and runs that no entry names any more go."""
    old = made_up([entry("p/a", "differs"), dict(entry("p/b", "differs"), run=1)])
    old["runs"].append(dict(old["runs"][0], command="second"))
    new = made_up([entry("p/b", "reproduced"), entry("p/c", "reproduced")])
    given = records.merged(old, new)
    check([(e["id"], e["run"]) for e in given["claims"]] == [("p/a", 0), ("p/b", 1), ("p/c", 1)]
          and [run["command"] for run in given["runs"]] == ["bench/replicate"] * 2
          and given["claims"][1]["verdict"] == "reproduced", f"merged: {given}")
    # Who adopts times until they please leaves a trace.
    once = made_up([entry("p/a", "-", samples=times(2))])
    thrice = records.merged(records.merged(once, once), once)
    check(thrice["claims"][0]["replaced"] == {"abc1234": 2}, f"adopted thrice: {thrice}")
    check('"replaced":{"abc1234":2}' in records.as_text(thrice), "replaced times are not written")
    for record, wanted in ((once, False), (thrice, True)):
        said = adopt.of_machine(record, record, 1)
        check(("again at the same commit: p/a (2 before)" in said) == wanted, said)


def disturbed():
    """Looks before and after a time of ten seconds on two CPUs."""
    def seen(busy=10.0, own=10.0, steal=0.0, lines=100.0):
        before = Look(0, 100, 50, 5, 1.0, 2, 100.0)
        return around(before, Look(10, 100 + busy, 50 + own, 5 + steal, 1.0, 2, lines))

    check(not fault(seen()), f"nothing disturbs: {fault(seen())}")
    # Ten programs on two CPUs leave us a sixth of them.
    for how, words in ((seen(busy=20, own=3.3), "other programs took 84 %"),
                       (seen(steal=1), "the hypervisor took 5 %"),
                       (seen(lines=80), "random lines went from 100 to 80"),
                       (seen(lines=120), "random lines went from 100 to 120")):
        check(words in fault(how), f"{how}: {fault(how)}")
    now = Look.now(1)
    check(now.busy > 0 and now.own > 0 and now.cpus > 0, f"{now}")
    wanted = claim(kind="ratio", published="2")
    drawn = dict(entry("paper/a", "-", samples=times(2)), around=seen(steal=1))
    given = records.judged(wanted, drawn)
    check(given["verdict"] == "machine too noisy" and "hypervisor" in given["note"], f"{given}")


def stored():
    """A record has samples and no verdicts: those are today's claims'."""
    wanted = claim(kind="ratio", published="2", probe="times", setup={"a": 1})
    given = records.judged(wanted, dict(entry("paper/a", "-", samples=times(2)), probe="times",
                                        setup={"a": 1}))
    text = records.as_text({"runs": [{}], "claims": [given]})
    check("reproduced" not in text, "a record has a verdict")
    for samples in ([], values(1, 2), times(2, value=3.0), [{"text": "t"}]):
        check(records.unpack(records.pack(samples)) == samples, f"packed: {samples}")
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(text)
        file.flush()
        back, strange = records.read(file.name, [wanted])
        check(back["claims"] == [given] and not strange, f"read: {back}")
        other = dataclasses.replace(wanted, published="9")
        check(records.read(file.name, [other])[0]["claims"][0]["verdict"] == "direction",
              "the verdict is not of today's claim")
        for changed in ([], [dataclasses.replace(wanted, setup={"a": 2})],
                        [dataclasses.replace(wanted, probe="fpr")]):
            check(records.read(file.name, changed)[1] == ["paper/a"], "another set-up is accepted")
        file.write(", ")
        file.flush()
        try:
            check(False, f"{records.read(file.name, [wanted])} is read")
        except SystemExit as error:
            check(file.name in str(error), f"{error} does not name the file")
    lacking = records.judged(wanted, dict(given, lacks=["avx512"], samples=[]))
    check((lacking["verdict"], lacking["note"]) == ("not testable here", "needs avx512"), "lacks")


def refused_records():
    """What papers/record may not have, however it came about."""
    def changed(**values):
        record = made_up([])
        run = record["runs"][0]
        for name, value in values.items():
            (run if name in run else run["machine"])[name.replace("_", " ")] = value
        return record

    both = changed()
    both["runs"] += made_up([], dict(both["runs"][0]["machine"], cpu="D"))["runs"]
    for record, words in ((changed(), ""), (changed(commit="abc1234-dirty"), "abc1234-dirty"),
                          (changed(commit="unknown"), "unknown"), (both, "two machines"),
                          (changed(tolerances=""), "not committed"),
                          (changed(cpu_model="9"), "two machines, c-1-9-3")):
        said = "; ".join(records.faults(record))
        check(words in said and bool(said) == bool(words), f"{words or 'no fault'}: {said}")
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=SOURCE, capture_output=True, text=True)
    if head.returncode == 0:
        said = list(records.faults(changed(commit=head.stdout.strip())))
        check(said and "not those of commit" in said[0], "a record with tolerances of its own")
    again, untimed = (made_up([entry("p/a", "-", samples=s)]) for s in (times(2), values(2)))
    other = made_up([entry("p/a", "-", samples=times(2, spread=0.02))])
    check(records.copied([again, again]) == ["p/a"], "a copied record is another machine's")
    check(not records.copied([again, other]) and not records.copied([untimed, untimed]), "a copy")

    wanted = [claim(kind="ratio", published="2", id=f"p/{i}", probe="p", setup={}) for i in "ab"]
    quiet, noisy = (entry(f"p/{i}", "-", samples=times(2, again=again))
                    for i, again in (("a", 1), ("b", 1.5)))
    check(records.judged(wanted[0], dict(quiet, around=None))["verdict"] == "machine too noisy",
          "times with no look at the machine are judged")
    check(records.judged(wanted[0], dict(quiet, rule=["ratio", "", "3"]))["newer_rule"],
          "a published value may change behind the run")
    with tempfile.TemporaryDirectory() as folder:
        file, kept = os.path.join(folder, "new.json"), (records.FOLDER, adopt.fill)
        records.FOLDER, adopt.fill = Path(folder) / "record", lambda *_: None
        for record, words, names in ((made_up([quiet, noisy]), "dropped", {"p/a"}),
                                     (dict(changed(tolerances=""), claims=[quiet]), "", {"p/a"})):
            with open(file, "w", encoding="utf-8") as out:
                out.write(records.as_text(record))
            said = io.StringIO()
            try:
                with contextlib.redirect_stdout(said):
                    adopt.adopt(file, {}, wanted)
                check(words and words in said.getvalue(), f"adopted: {said.getvalue()}")
            except SystemExit as error:
                check(not words and "is not adopted" in str(error), str(error))
            there = records.read(records.FOLDER / "c-1-2-3.json", wanted)[0]["claims"]
            check({e["id"] for e in there} == names, f"adopted: {there}")
        records.FOLDER, adopt.fill = kept


def adopted():
    """Each page of papers has what one of the records writes into it."""
    papers, claims = replicate.load_or_exit()
    found = [record for _, record in records.adopted(claims)]
    for other in found[1:]:
        differ = records.untimed_in_both(found[0], other)[1]
        check(not differ, f"two records have other samples of {', '.join(differ)}")
    stale = [page for page, _, text in adopt.pages(found, papers, claims)
             if f"\n{text}\n\n<!-- end -->" not in read(page)]
    check(not stale, f"bench/replicate --adopt RECORD would change {', '.join(stale)}")
    some = [dict(entry(c.id, "differs"), seconds=2) for c in claims[:3]]
    record, other = made_up(some), made_up([dict(some[0], samples=values(1), verdict="direction"),
                                             *some[1:]])
    text = adopt.of_machine(record, record, 9)
    check("all claims but 6 in 6 s on 2 cores with 4 MiB; 3 verdicts are not as expected." in text
          and f"judge 3: {claims[0].id}, " in text and "the same samples" not in text, text)
    kept, tolerances.VERSION = tolerances.VERSION, "5a"
    check("younger" not in adopt.of_machine(record, record, 9), "the run's own tolerances differ")
    record["claims"][1]["newer_rule"] = True
    check(f"judge 1: {claims[1].id}." in adopt.of_machine(record, record, 9), "a newer rule")
    tolerances.VERSION = kept
    text = adopt.of_machine(other, record, 9)
    check("2 of 3 claims without times have the same samples" in text, text)
    text = adopt.overview([made_up([]), record], papers, claims)
    check("| **published figures, measured here** | 0:  |" in text, text)
    counts = [claim(id="p/a", probe="fpr"), claim(id="p/b", probe="fpr", how="secondary")]
    differs, agrees = (made_up([entry("p/a", verdict), entry("p/b", verdict)])
                       for verdict in ("differs", "reproduced"))
    name, nothing = records.name_of(agrees), made_up([])
    for first, others, wanted in (
            (differs, [agrees, differs, nothing],
             f"published 1 differs; secondary 1 differs; {name}: none"),
            (agrees, [differs], f"{name}: published 1 differs"), (agrees, [agrees], "")):
        text = adopt.others_of_paper([first, *others], counts)
        check(text == wanted, f"other verdicts: {text}")
    text = adopt.section([record, other], claims[:3])
    check("**differs**; 2 [1.9, 2.1]: **direction**" in text and text.count("**differs**") == 3,
          "two records do not stand side by side, or what both say stands twice: " + text)
    text = adopt.section([record, other, record], claims[:1])
    check("**direction**; 2 [1.9, 2.1]: **differs** |" in text, "two of 3 agree: " + text)
    keyed_pages(claims)
