#include <cstring>
#include <stdexcept>
#include <string>

#include "simdbloom/join/arrow.hpp"

namespace simdbloom {

/// Throws with the stream's message if it fails; `out` is then undefined.
template <class T>
void ArrowStream::ask(int (*get)(ArrowArrayStream*, T*), detail::ArrowOwner<T>& out,
                      const char* what) {
    const int error = get(stream_.get(), out.get());
    if (error == 0) return;
    out.forget();
    const char* const words =
        stream_->get_last_error != nullptr ? stream_->get_last_error(stream_.get()) : nullptr;
    const std::string message = std::string("simdbloom: an Arrow stream has no ") + what + ": " +
                                (words != nullptr ? words : std::strerror(error)) + " (error " +
                                std::to_string(error) + ")";
    stream_.release();  // only after its message is copied
    throw std::runtime_error(message);
}

ArrowStream::ArrowStream(ArrowArrayStream& stream, ArrowSettings settings)
    : settings_(std::move(settings)), stream_(stream) {
    if (stream_->release == nullptr)
        throw std::invalid_argument("simdbloom: an Arrow stream that was released");
    ask(stream_->get_schema, schema_, "schema");
}

const JoinRows* ArrowStream::next() {
    rows_.reset();
    batch_.release();
    if (stream_->release == nullptr) return nullptr;
    ask(stream_->get_next, batch_, "batch");
    if (batch_->release == nullptr) {
        stream_.release();
        return nullptr;
    }
    rows_ = arrow_rows(*schema_, *batch_, settings_);
    return &*rows_;
}

}  // namespace simdbloom
