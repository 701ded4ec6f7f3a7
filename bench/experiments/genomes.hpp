// Genomes of Debian packages as sets of k-mers or minimizers, and reads of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "simdbloom/hash.hpp"
#include "tools/kmers.hpp"

namespace simdbloom::bench {

/// Files below /usr/share/doc. The package of a file is the first folder and "-examples".
struct GenomeFile {
    const char* path;
    bool has_several;  ///< every record is a genome
};
inline constexpr GenomeFile genome_files[] = {
    {"bowtie/examples/genomes/NC_008253.fna.gz", false},
    {"kleborate/examples/data/Klebs_HS11286.fna.xz", false},
    {"kleborate/examples/data/Klebs_Kp1084.fna.xz", false},
    {"kleborate/examples/data/MGH78578.fna.xz", false},
    {"kleborate/examples/data/NTUH-K2044.fna.xz", false},
    {"ragout/examples/E.Coli/references/DH1.fasta.gz", false},
    {"ragout/examples/E.Coli/references/MG1655-K12.fasta.gz", false},
    {"ragout/examples/H.Pylori/references/ELS37.fasta.gz", false},
    {"ragout/examples/H.Pylori/references/G27.fasta.gz", false},
    {"ragout/examples/H.Pylori/references/Gambia94_24.fasta.gz", false},
    {"ragout/examples/H.Pylori/references/Puno120.fasta.gz", false},
    {"ragout/examples/H.Pylori/references/SJM180.fasta.gz", false},
    {"ragout/examples/S.Aureus/references/COL.fasta.gz", false},
    {"ragout/examples/S.Aureus/references/JKD6008.fasta.gz", false},
    {"ragout/examples/S.Aureus/references/N315.fasta.gz", false},
    {"ragout/examples/S.Aureus/references/RF122.fasta.gz", false},
    {"ragout/examples/S.Aureus/references/USA300_FPR3757.fasta.gz", false},
    {"ragout/examples/V.Cholerae/references/H1.fasta.gz", false},
    {"ragout/examples/V.Cholerae/references/O1_Inaba.fasta.gz", false},
    {"ragout/examples/V.Cholerae/references/O1_biovar.fasta.gz", false},
    {"ragout/examples/V.Cholerae/references/O395.fasta.gz", false},
    {"sibelia/examples/C-Sibelia/Staphylococcus_aureus/NCTC8325.fasta.gz", false},
    {"sibelia/examples/C-Sibelia/Staphylococcus_aureus/RN4220.fasta.gz", false},
    {"sibelia/examples/Sibelia/Helicobacter_pylori/Helicobacter_pylori.fasta.gz", true},
    {"sibelia/examples/Sibelia/Staphylococcus_aureus/Staphylococcus.fasta.gz", true},
};

/// The letters of FASTA, with '>' before each record. Throws std::runtime_error that names the
/// file.
inline std::string read_genome(const GenomeFile& file) {
    const std::string path = std::string("/usr/share/doc/") + file.path;
    const std::string command = (path.ends_with(".xz") ? "xz -dc " : "gzip -dc ") + path;
    std::FILE* const pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
    std::string text;
    std::array<char, 1 << 16> piece;
    while (const auto n = std::fread(piece.data(), 1, piece.size(), pipe))
        text.append(piece.data(), n);
    if (pclose(pipe) != 0 || !text.starts_with('>'))
        throw std::runtime_error(
            "cannot read " + path +
            ": install its package with dpkg --path-include=/usr/share/doc/*/examples/*");
    std::string letters;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const bool is_name = text[at] == '>';
        letters += is_name ? ">" : std::string_view(text).substr(at, end - at);
        at = end + 1;
    }
    return letters;
}

/// Each once: two genomes are both in sibelia-examples and in ragout-examples.
inline std::vector<std::string> read_genomes() {
    std::vector<std::string> genomes;
    for (const auto& file : genome_files) {
        std::string letters = read_genome(file);
        for (std::size_t at = 0; at < letters.size();) {
            const auto next = file.has_several ? letters.find('>', at + 1) : std::string::npos;
            const std::string genome = letters.substr(at, next - at);
            if (std::ranges::find(genomes, genome) == genomes.end()) genomes.push_back(genome);
            at = std::min(next, letters.size());
        }
    }
    return genomes;
}

/// Which keys letters have: the canonical k-mers, or of each `window` letters the k-mer whose hash
/// is the least.
struct Scheme {
    unsigned k, window;

    std::string name() const { return window == k ? std::to_string(k) + "-mers" : "minimizers"; }
    std::vector<std::uint64_t> keys_of(std::string_view letters) const {
        std::vector<std::uint64_t> kmers, keys;
        tools::Kmers(k).add(letters, kmers);
        if (window == k) return kmers;
        const std::size_t width = window - k + 1;
        std::size_t least = 0, written = kmers.size();
        const auto is_less = [](std::uint64_t a, std::uint64_t b) {
            return hash_key(a, order_seed) < hash_key(b, order_seed);
        };
        for (std::size_t i = 0; i < kmers.size(); ++i) {
            if (least + width <= i) {
                least = i + 1 - width;
                for (std::size_t j = least + 1; j <= i; ++j)
                    if (is_less(kmers[j], kmers[least])) least = j;
            } else if (is_less(kmers[i], kmers[least])) {
                least = i;
            }
            if (i + 1 < width || least == written) continue;
            keys.push_back(kmers[least]);
            written = least;
        }
        return keys;
    }
    /// The order of minimizers has a seed of its own: the filters' hashes of minimizers would all
    /// be small otherwise.
    static constexpr std::uint64_t order_seed = 0x6d696e696d697a65;
};

struct Read {
    std::size_t set;
    std::string letters;
};
/// Read i is of set i % sets, from anywhere in it; each letter is replaced with chance `errors`.
inline std::vector<Read> make_reads(std::span<const std::string_view> sets, std::size_t n,
                                    std::size_t length, double errors) {
    const std::string_view bases = "ACGT";
    std::vector<Read> reads;
    std::uint64_t drawn = 0;
    // One of n numbers.
    const auto draw = [&](std::uint64_t n) { return (hash_key(++drawn, 7) >> 32) * n >> 32; };
    while (reads.size() < n) {
        Read read{reads.size() % sets.size(), {}};
        const auto& set = sets[read.set];
        read.letters = set.substr(draw(set.size() - length), length);
        if (read.letters.find_first_not_of(bases) != std::string::npos) continue;
        for (char& letter : read.letters)
            if (static_cast<double>(draw(1u << 30)) < errors * (1u << 30))
                letter = bases[(bases.find(letter) + 1 + draw(3)) % 4];
        reads.push_back(std::move(read));
    }
    return reads;
}

}  // namespace simdbloom::bench
