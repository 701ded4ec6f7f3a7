// The k-mers of FASTA and FASTQ files.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "keys.hpp"

namespace simdbloom::tools {

constexpr unsigned longest_kmer = 32;

/// The canonical k-mers of one record after the other. A, C, G and T are 0 to 3, the first letter
/// in the highest bits; of a k-mer and its reverse complement the smaller counts. Small letters are
/// as large ones, blanks are skipped. A k-mer with another letter is left out.
class Kmers {
public:
    explicit Kmers(unsigned k) : k_(k), mask_(~std::uint64_t{0} >> (64 - 2 * k)) {}

    void begin_record() { run_ = 0; }
    /// Adds the k-mers that end within these letters of the record.
    void add(std::string_view letters, std::vector<std::uint64_t>& kmers) {
        for (const char letter : letters) {
            const auto at = std::string_view("ACGTacgt").find(letter);
            if (at == std::string_view::npos) {
                if (letter != ' ' && letter != '\t') run_ = 0;
                continue;
            }
            const std::uint64_t code = at % 4;
            forward_ = (forward_ << 2 | code) & mask_;
            reverse_ = reverse_ >> 2 | (3 - code) << (2 * k_ - 2);
            if (++run_ >= k_) kmers.push_back(std::min(forward_, reverse_));
        }
    }

private:
    unsigned k_;
    std::uint64_t mask_, forward_ = 0, reverse_ = 0, run_ = 0;
};

/// use(kmers) for the k-mers of a record, some at a time, then end(name): its first word. FASTA:
///
///     >name and other words           FASTQ:  @name
///     letters, in lines of any                letters
///     length                                  +
///                                             as many characters, of any kind
///
/// Throws std::runtime_error that names the path if the file has something else.
template <class Use, class End>
void for_each_kmers(const std::string& path, unsigned k, const Use& use, const End& end) {
    constexpr std::size_t piece = 1 << 14;
    enum { between, letters, qualities } part = between;
    bool is_fastq = false;
    std::size_t to_come = 0;  // qualities
    std::string name;
    std::vector<std::uint64_t> kmers;
    Kmers reader(k);
    const auto flush = [&] {
        if (!kmers.empty()) use(std::span<const std::uint64_t>(kmers));
        kmers.clear();
    };
    const auto finish = [&] {
        flush();
        end(name);
        part = between;
    };
    const auto refuse = [&](const std::string& why) {
        throw std::runtime_error("\"" + path + "\" is neither FASTA nor FASTQ: " + why);
    };
    KeySource source({path}, KeyFormat::lines, 0);
    while (source.next())
        for (std::string_view line : source.texts()) {
            if (part == letters && !is_fastq && line.starts_with('>')) finish();
            if (part == between) {
                if (line.empty()) continue;
                is_fastq = line[0] == '@';
                if (!is_fastq && line[0] != '>')
                    refuse("a record begins with > or @, not with \"" +
                           std::string(line.substr(0, 20)) + "\"");
                name = line.substr(1, line.find_first_of(" \t") - 1);
                part = letters;
                to_come = 0;
                reader.begin_record();
            } else if (part == letters && is_fastq && line.starts_with('+')) {
                part = qualities;
            } else if (part == letters) {
                to_come += is_fastq ? line.size() : 0;
                for (; !line.empty(); line.remove_prefix(std::min(piece, line.size()))) {
                    reader.add(line.substr(0, piece), kmers);
                    if (kmers.size() >= piece) flush();
                }
            } else {
                if (line.size() > to_come)
                    refuse("\"" + name + "\" has more qualities than letters");
                to_come -= line.size();
                if (to_come == 0) finish();
            }
        }
    if (part == letters && !is_fastq) finish();
    if (part == letters || to_come != 0) refuse("it ends within \"" + name + "\"");
    if (part == qualities) finish();  // of no letters
}

}  // namespace simdbloom::tools
