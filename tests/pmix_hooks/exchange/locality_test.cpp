// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/exchange/locality.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace commmap::hooks {
namespace {

namespace fs = std::filesystem;

/// /sys of a machine with three NUMA nodes, one without CPUs, and two packages.
class LocalityTest : public testing::Test {
protected:
    LocalityTest() {
        std::string name = (fs::temp_directory_path() / "commmap-sys-XXXXXX").string();
        sys_ = ::mkdtemp(name.data());
        write("node/online", "0-2\n");
        write("node/node0/cpulist", "0-3,8-11\n");
        write("node/node1/cpulist", "4-7\n");
        write("node/node2/cpulist", "\n");
        for (int cpu = 0; cpu < 12; ++cpu) {
            const bool second = cpu >= 4 && cpu < 8;
            const std::string topology = "cpu/cpu" + std::to_string(cpu) + "/topology/";
            write(topology + "package_cpus_list", second ? "4-7\n" : "0-3,8-11\n");
            write(topology + "physical_package_id", second ? "1\n" : "0\n");
        }
    }
    ~LocalityTest() override { fs::remove_all(sys_); }

    void write(const std::string& path, const std::string& content) {
        fs::create_directories((sys_ / path).parent_path());
        std::ofstream(sys_ / path) << content;
    }
    [[nodiscard]] std::string locality(std::initializer_list<int> cpus,
                                       std::size_t size = 64) const {
        CpuBits bits;
        for (const int cpu : cpus) bits.add(cpu);
        std::string text(size, 'x');
        write_locality(bits, sys_.c_str(), text.data(), size);
        return text.c_str();
    }

    fs::path sys_;
};

TEST_F(LocalityTest, NamesNumaNodesAndPackages) {
    EXPECT_EQ(locality({9}), "NM0:SK0");
    EXPECT_EQ(locality({4, 5, 6, 7}), "NM1:SK1");
    EXPECT_EQ(locality({3, 4}), "NM0-1:SK0-1");
}

TEST_F(LocalityTest, LeavesOutWhatIsNotTold) {
    EXPECT_EQ(locality({}), "");
    EXPECT_EQ(locality({100}), "");
    write("node/online", "");
    EXPECT_EQ(locality({4}), "SK1");
    fs::remove_all(sys_);
    EXPECT_EQ(locality({4}), "");
}

TEST_F(LocalityTest, NothingIsCutInTheMiddle) {
    EXPECT_EQ(locality({3, 4}, 12), "NM0-1:SK0-1");
    EXPECT_EQ(locality({3, 4}, 11), "NM0-1");
    EXPECT_EQ(locality({3, 4}, 6), "NM0-1");
    EXPECT_EQ(locality({3, 4}, 5), "");
    EXPECT_EQ(locality({3, 4}, 1), "");
}

TEST_F(LocalityTest, NonsenseInFilesDoesNoHarm) {
    write("node/online", "0-99999999999999999999,-3,7x");
    write("node/node0/cpulist", "9999999999-1,,,");
    write("cpu/cpu4/topology/physical_package_id", "-1\n");
    EXPECT_EQ(locality({4}), "NM1");
}

TEST_F(LocalityTest, OfThisMachine) {
    CpuBits all;
    for (int cpu = 0; cpu < CpuBits::most_cpus; ++cpu) all.add(cpu);
    EXPECT_TRUE(all.has(CpuBits::most_cpus - 1));
    EXPECT_FALSE(all.has(CpuBits::most_cpus));
    EXPECT_FALSE(all.has(-1));
    char text[64] = "";
    write_locality(all, "/sys/devices/system", text, sizeof text);
    EXPECT_EQ(std::string(text).find('x'), std::string::npos);
}

}  // namespace
}  // namespace commmap::hooks
