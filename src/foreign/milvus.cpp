// Milvus' MBF1 blobs. Specification: docs/design-docs/design_docs/
// 20260707-bloom-filter-expression.md of https://github.com/milvus-io/milvus
//
//     MBF1 | version, algorithm | n | FPR | blocks | domains, 3 zeros | split blocks
//                                                                all little-endian
#include <algorithm>
#include <bit>

#include "foreign/split_blocks.hpp"

namespace simdbloom::foreign {
namespace {

constexpr std::size_t mbf_header = 32;
constexpr char mbf_magic[] = {'M', 'B', 'F', '1'};
// The kinds of a filter's keys. Probing with another kind finds nothing.
constexpr unsigned of_integers = 1, of_text = 2;

class Milvus final : public XxhBlocks<Milvus> {
public:
    Milvus(SplitBlockBloom blocks, std::uint64_t n_keys, double fpr, unsigned domains) noexcept
        : XxhBlocks(std::move(blocks)), n_keys_(n_keys), fpr_(fpr), domains_(domains) {}

    ForeignFormat format() const noexcept override { return ForeignFormat::milvus; }
    std::string details() const override {
        constexpr const char* names[] = {"none", "int64", "utf8", "int64 and utf8"};
        return detail::to_text("declared keys ", n_keys_, ", declared FPR ", std::to_string(fpr_),
                               ", domains ", names[domains_]);
    }
    void insert(const Keys& keys) override {
        if (!keys.empty()) domains_ |= domain_of(keys);
        XxhBlocks::insert(keys);
    }
    std::size_t answer(const Keys& keys, detail::Output output, void* out) const override {
        if ((domains_ & domain_of(keys)) != 0) return XxhBlocks::answer(keys, output, out);
        return detail::answer_by_hits(keys.size(), output, out,
                                      [](std::size_t, std::size_t) { return std::uint64_t{0}; });
    }
    void unite(const Model& other) override {
        XxhBlocks::unite(other);
        const auto& same = static_cast<const Milvus&>(other);
        n_keys_ += std::min(same.n_keys_, ~n_keys_);
        domains_ |= same.domains_;
    }
    std::vector<std::byte> write() const override {
        Writer out(blocks_.size_in_bytes() + mbf_header);
        out.append(std::as_bytes(std::span(mbf_magic)));
        out.little(std::uint16_t{1});
        out.little(std::uint16_t{1});
        out.little(n_keys_);
        out.little(std::bit_cast<std::uint64_t>(fpr_));
        out.little(static_cast<std::uint32_t>(blocks_.blocks()));
        out.little(std::uint32_t{domains_});
        out.append(blocks_.bytes());
        return out.take();
    }

private:
    static unsigned domain_of(const Keys& keys) noexcept {
        return keys.are_texts() ? of_text : of_integers;
    }

    std::uint64_t n_keys_;
    double fpr_;
    unsigned domains_;
};

bool is_milvus(Bytes bytes) {
    return bytes.size() >= mbf_header &&
           std::ranges::equal(bytes.first(4), std::as_bytes(std::span(mbf_magic)));
}

template <class T>
T field(Bytes bytes, std::size_t at) {
    return detail::load_le<T>(&bytes[at]);
}

/// Throws Refused for a number of blocks that Milvus rejects.
void check_blocks(std::uint64_t blocks) {
    if (!std::has_single_bit(blocks) || split_block * blocks > most_arrow_bytes)
        throw Refused(LoadFault::parameter, blocks,
                      " blocks, where Milvus takes a power of two up to 128 MiB");
}

Made read_milvus(Bytes bytes, const Options& options) {
    if (bytes.size() < mbf_header)
        throw Refused(LoadFault::too_short, bytes.size(),
                      " bytes, where the header of MBF1 has 32");
    if (!is_milvus(bytes))
        throw Refused(LoadFault::foreign, "does not begin with MBF1, as a filter of Milvus does");
    const auto version = field<std::uint16_t>(bytes, 4), algorithm = field<std::uint16_t>(bytes, 6);
    if (version != 1 || algorithm != 1)
        throw Refused(LoadFault::version, "version ", version, ", algorithm ", algorithm,
                      " of MBF1, not 1 and 1");
    const auto blocks = field<std::uint32_t>(bytes, 24), domains = field<std::uint32_t>(bytes, 28);
    if (bytes.size() - mbf_header != split_block * std::uint64_t{blocks})
        throw Refused(LoadFault::size, blocks, " blocks of MBF1 do not take ",
                      bytes.size() - mbf_header, " bytes");
    check_blocks(blocks);
    if (domains > (of_integers | of_text))
        throw Refused(LoadFault::parameter, "domains and reserved bytes ", domains,
                      " of MBF1, above 3");
    const Bytes body = bytes.subspan(mbf_header);
    // Older clients wrote no domain, 0. Milvus would find no key.
    if (domains == 0 && !std::ranges::all_of(body, [](std::byte b) { return b == std::byte{0}; }))
        throw Refused(LoadFault::parameter, "MBF1 with keys and no domain");
    return std::make_unique<Milvus>(blocks_of(body, options), field<std::uint64_t>(bytes, 8),
                                    std::bit_cast<double>(field<std::uint64_t>(bytes, 16)),
                                    domains);
}

Made make_milvus(std::size_t n_keys, double fpr, const Options& options) {
    if (!(fpr >= 0.0001 && fpr <= 0.05))
        throw detail::argument_error("fpr=", fpr,
                                     " is not from 0.0001 to 0.05, the range of Milvus");
    return std::make_unique<Milvus>(empty_blocks(arrow_bytes(n_keys, fpr) / split_block, options),
                                    n_keys, fpr, 0);
}

Made milvus_from(const Model& from, KeyKind keys) {
    const auto& blocks = *from.split_blocks();
    check_blocks(blocks.blocks());
    if (keys == KeyKind::unknown)
        throw Refused(LoadFault::parameter,
                      "Milvus records whether keys are integers or text: name the kind");
    const double fpr = blocks.estimated_fpr();
    return std::make_unique<Milvus>(SplitBlockBloom(blocks), blocks.n_keys(), fpr,
                                    keys == KeyKind::integers ? of_integers : of_text);
}

}  // namespace

const Format milvus_format{ForeignFormat::milvus, "milvus",    split_block_bits, xxh64_hash,
                           read_milvus,           make_milvus, is_milvus,        milvus_from};

}  // namespace simdbloom::foreign
