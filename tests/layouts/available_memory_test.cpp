// What the system says of its memory, and filters that ask for more.
#include "core/os/memory.hpp"

#include <fstream>

#include "saved_bytes.hpp"
#include "support.hpp"

namespace simdbloom {
namespace {

namespace fs = std::filesystem;
using detail::available_memory, detail::available_memory_in;

/// A folder with proc and sys as some machine has them.
struct Machine {
    Machine() {
        write("/proc/meminfo", "MemTotal: 9000 kB\nMemAvailable:    5000 kB\nSwapFree: 100 kB\n");
    }
    void write(const std::string& path, const std::string& text) const {
        const fs::path file = folder.path.string() + path;
        fs::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }
    std::uint64_t kib() const { return available_memory_in(folder.path.string()) / 1024; }
    test::TemporaryFolder folder{"machine"};
};

TEST(AvailableMemory, IsWhatTheMachineSays) {
    const Machine machine;
    EXPECT_EQ(machine.kib(), 5100u);
    machine.write("/proc/meminfo", "MemTotal: 9000 kB\nMemAvailable: 7 kB\n");
    EXPECT_EQ(machine.kib(), 7u);
    machine.write("/proc/meminfo", "MemTotal: 9000 kB");
    EXPECT_EQ(available_memory_in(machine.folder.path.string()), ~std::uint64_t{0});
    EXPECT_EQ(available_memory_in("/no such folder"), ~std::uint64_t{0});
}

TEST(AvailableMemory, IsNoMoreThanThatOfTheControlGroups) {
    const Machine machine;
    machine.write("/proc/self/cgroup", "0::/a/b");
    EXPECT_EQ(machine.kib(), 5100u) << "groups that are not seen";
    const std::string mount = "/sys/fs/cgroup", a = mount + "/a", b = a + "/b";
    machine.write(b + "/memory.max", "max\n");
    machine.write(b + "/memory.current", "1048576\n");
    EXPECT_EQ(machine.kib(), 5100u) << "a group without a limit";
    machine.write(b + "/memory.max", "4194304\n");
    EXPECT_EQ(machine.kib(), 3072u);
    machine.write(b + "/memory.stat", "anon 1\ninactive_file 524288\nactive_file 1024\n");
    EXPECT_EQ(machine.kib(), 3072u + 513) << "what is cached can be had";
    machine.write(a + "/memory.max", "2097152\n");
    machine.write(a + "/memory.current", "1048576\n");
    EXPECT_EQ(machine.kib(), 1024u) << "the group around it has less";
    machine.write(mount + "/memory.max", "4096\n");
    machine.write(mount + "/memory.current", "8192\n");
    EXPECT_EQ(machine.kib(), 0u) << "the outermost, which containers see, is beyond its limit";
    machine.write("/proc/self/cgroup", "0::/\n");
    EXPECT_EQ(machine.kib(), 0u);
}

TEST(AvailableMemory, KnowsTheOldControlGroups) {
    const Machine machine;
    machine.write("/proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/docker/1\n1:name=systemd:/\n");
    const std::string mount = "/sys/fs/cgroup/memory";
    // The path of a container is the host's, and its group the mount.
    machine.write(mount + "/memory.limit_in_bytes", "3145728\n");
    machine.write(mount + "/memory.usage_in_bytes", "2097152\n");
    machine.write(mount + "/memory.stat", "inactive_file 9\ntotal_inactive_file 1024\n");
    EXPECT_EQ(machine.kib(), 1025u);
    machine.write(mount + "/memory.limit_in_bytes", "9223372036854771712\n");
    EXPECT_EQ(machine.kib(), 5100u);
}

TEST(AvailableMemory, AFilterThatNeedsMoreIsRefused) {
    const std::uint64_t available = available_memory();
    if (available > std::uint64_t{200} << 30)
        GTEST_SKIP() << "no filter needs more than the " << available << " bytes there are";
    const double bytes = static_cast<double>(available) + (1 << 28);
    test::expect_error<AllocationError>(
        [&] { return make_filter("blocked512", 1000, 8 * bytes / 1000); }, " are available");
}

}  // namespace
}  // namespace simdbloom
