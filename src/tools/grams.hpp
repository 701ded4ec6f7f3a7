// Which keys of a batch are new to a series of filters: lines, or documents by their runs of words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "keys.hpp"
#include "simdbloom/series/scalable.hpp"

namespace simdbloom::tools {

struct Documents {
    std::string field;      ///< the member of a JSON object that is compared; "": the whole key
    std::size_t ngram = 0;  ///< words of a run; 0: the text is one key
    double overlap = 0.8;   ///< the share of the runs that makes a document a seen one
    unsigned threads = 0;   ///< that split and hash; 0: as many as the machine has
};

class Seen {
public:
    /// Throws std::runtime_error if the overlap is not inside (0, 1].
    Seen(ScalableBloom& filter, const Documents& documents);

    /// Sets the bits of the batch's new keys, and inserts them.
    void insert_new(KeySource& source, std::span<std::uint8_t> were_new);
    /// How many new keys false positives hid so far, by the model of the filters.
    double expected_lost();

private:
    bool insert_document(const std::vector<std::uint64_t>& hashes);
    double update_fpr(std::uint64_t least_more);
    bool whole_keys() const { return documents_.field.empty() && documents_.ngram == 0; }

    ScalableBloom& filter_;
    Documents documents_;
    std::uint64_t keys_ = 0;
    double lost_ = 0;
    double fpr_;               // by the model
    std::uint64_t stored_at_;  // keys of the filter at that time

    std::vector<std::vector<std::uint64_t>> hashes_;  // of a batch's documents
};

}  // namespace simdbloom::tools
