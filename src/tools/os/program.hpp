// What a program meets on a system: its arguments, its standard streams, and other runs of itself.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/extension.hpp"

namespace simdbloom::detail {

/// Makes faults of files errors, and gives closed standard streams something that fails. Standard
/// streams have bytes, not text. If a mapped file becomes shorter, the process writes last_words()
/// to standard error and ends with 1, where a system lets that happen.
void prepare_process(std::string_view (*last_words)());
/// The arguments behind the program's name, in UTF-8.
std::vector<std::string> arguments(int argc, char** argv);
bool is_terminal(int file) noexcept;
/// The width of a terminal; 80 if it is not known.
std::size_t columns(int file) noexcept;
/// Whether a read would wait for somebody else to write.
bool would_wait(int file) noexcept;

/// The same text for all names of a file. Empty for terminals, pipes and the like: writing to them
/// does not change what is read from them. Nothing, with errno set, if there is no such file.
std::optional<std::string> identity_of(int file);
std::optional<std::string> identity_of(const std::filesystem::path& path);

/// Holds the lock of a name while it is open: a file that only those have who lock it. If another
/// program has the lock, calls waits() and waits. Returns none with errno set where it cannot lock.
File lock(const std::filesystem::path& name, const std::function<void()>& waits);
void unlock(File& locked, const std::filesystem::path& name) noexcept;

}  // namespace simdbloom::detail
