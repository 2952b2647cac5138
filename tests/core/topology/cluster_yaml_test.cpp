// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/topology/cluster_yaml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/topology/describe.hpp"
#include "core/topology/sample_hct.hpp"

namespace commmap {
namespace {

using testing::HasSubstr;

const std::string data = COMMMAP_TEST_DATA "/topology/";

std::string content(const std::string& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// A cluster of one switch with one node of two PUs, whose link is `link`.
Result<Cluster> cluster_with_link(const std::string& link) {
    return parse_cluster_yaml(
        "version: 1\n"
        "node_classes: {c: {hwloc: {synthetic: 'pu:2'}, link: " +
            link +
            "}}\n"
            "switches: {s: {nodes: n, class: c}}\n",
        "t.yaml");
}

TEST(ClusterYaml, ReadsTheSweeneyMachine) {
    const auto cluster = read_cluster_yaml(data + "sweeney-8x2.yaml");

    ASSERT_TRUE(cluster) << cluster.error().message;
    EXPECT_EQ(cluster.value().name, "sweeney-8x2");
    const auto hct = build_hct(cluster.value(), whole_cluster(cluster.value()));
    ASSERT_TRUE(hct) << hct.error().message;
    EXPECT_EQ(describe(hct.value()), content(data + "sweeney-8x2.expected"));
    // the sample tree is the same machine, written down by hand
    EXPECT_EQ(describe(hct.value()), describe(sweeney_8x2()));
}

TEST(ClusterYaml, ReadsEveryFeature) {
    const auto cluster = read_cluster_yaml(data + "every-feature.yaml");

    ASSERT_TRUE(cluster) << cluster.error().message;
    const auto hct = build_hct(cluster.value(), whole_cluster(cluster.value()));
    ASSERT_TRUE(hct) << hct.error().message;
    EXPECT_EQ(describe(hct.value()), content(data + "every-feature.expected"));
}

TEST(ClusterYaml, TheExampleOfTheDocumentationIsACluster) {
    const std::string page = content(COMMMAP_TEST_DATA "/../../docs/admin/cluster-yaml.md");
    const auto begin = page.find("```yaml\n");
    const auto end = page.find("```", begin + 8);
    ASSERT_NE(end, std::string::npos);

    const auto cluster = parse_cluster_yaml(page.substr(begin + 8, end - begin - 8), "docs");

    ASSERT_TRUE(cluster) << cluster.error().message;
    EXPECT_EQ(cluster.value().nodes.size(), 8U);
}

TEST(ClusterYaml, BandwidthDefaultsAndDirections) {
    const auto cluster = cluster_with_link(
        "{latency: 1 us, out: {bandwidth: {1 KiB: 20 MB/s, 64 KiB: 110 MB/s}}, in: {max_bandwidth: "
        "1 GB/s}}");

    ASSERT_TRUE(cluster) << cluster.error().message;
    const Port& port = cluster.value().classes[0].link;
    EXPECT_EQ(port.out.latency_ns, 1000.0);
    EXPECT_EQ(port.in.latency_ns, 1000.0);
    EXPECT_DOUBLE_EQ(port.out.bandwidth.at(8192), 65e6);  // half of the doublings from 2^10 to 2^16
    EXPECT_EQ(port.out.max_bandwidth_bytes_per_s, 110e6);  // the highest of the curve
    EXPECT_TRUE(port.in.bandwidth.unlimited());
    EXPECT_EQ(port.in.max_bandwidth_bytes_per_s, 1e9);
}

TEST(ClusterYaml, GapIsAnEighthOfTheLatencyOrWhatIsWritten) {
    const auto usual = cluster_with_link("{bandwidth: 1 GB/s, latency: 8 us}");
    const auto written = cluster_with_link("{bandwidth: 1 GB/s, latency: 8 us, gap: 3 us}");
    const auto by_direction = cluster_with_link(
        "{bandwidth: 1 GB/s, out: {latency: 8 us, gap: 8 us}, in: {latency: 4 us, gap: 0 us}}");
    const auto too_long = cluster_with_link("{bandwidth: 1 GB/s, latency: 8 us, gap: 9 us}");
    const auto alone = cluster_with_link("{bandwidth: 1 GB/s, gap: 1 us}");

    ASSERT_TRUE(usual) << usual.error().message;
    EXPECT_EQ(usual.value().classes[0].link.out.gap_ns, 1000.0);
    ASSERT_TRUE(written) << written.error().message;
    EXPECT_EQ(written.value().classes[0].link.in.gap_ns, 3000.0);
    ASSERT_TRUE(by_direction) << by_direction.error().message;
    EXPECT_EQ(by_direction.value().classes[0].link.out.gap_ns, 8000.0);
    EXPECT_EQ(by_direction.value().classes[0].link.in.gap_ns, 0.0);
    for (const auto* refused : {&too_long, &alone}) {
        ASSERT_FALSE(*refused);
        EXPECT_NE(refused->error().message.find("is longer than its latency"), std::string::npos)
            << refused->error().message;
    }
}

TEST(ClusterYaml, ARateIsOfTheLineOrOfMessages) {
    const auto is_payload = [](const std::string& link) {
        const auto cluster = cluster_with_link(link);
        EXPECT_TRUE(cluster) << cluster.error().message;
        const Port& port = cluster.value().classes[0].link;
        EXPECT_EQ(port.in.is_payload, port.out.is_payload);
        return port.in.is_payload;
    };
    EXPECT_FALSE(is_payload("{bandwidth: 1 GB/s}"));
    EXPECT_FALSE(is_payload("{bandwidth: 1 GB/s, rate: line}"));
    EXPECT_TRUE(is_payload("{out: {bandwidth: 1 GB/s}, rate: payload}"));
    EXPECT_THAT(cluster_with_link("{rate: gross}").error().message,
                HasSubstr("rate of the link of class 'c' is 'gross'; it must be line (bandwidths "
                          "count headers too) or payload (they count messages)"));
    EXPECT_THAT(cluster_with_link("{in: {rate: line}}").error().message,
                HasSubstr("unknown key 'rate'"));
}

TEST(ClusterYaml, MaxBandwidthMayRepeatTheBandwidthInAnotherUnit) {
    EXPECT_TRUE(cluster_with_link("{bandwidth: 100 Mbit/s, max_bandwidth: 12.5 MB/s}"));
}

TEST(ClusterYaml, ShortMessagesMayBeFasterThanAllTogether) {
    const auto cluster =
        cluster_with_link("{bandwidth: {4 KiB: 50 MB/s, 64 KiB: 12 MB/s}, max_bandwidth: 12 MB/s}");

    ASSERT_TRUE(cluster) << cluster.error().message;
    EXPECT_EQ(cluster.value().classes[0].link.out.max_bandwidth_bytes_per_s, 12e6);
    EXPECT_FALSE(cluster_with_link(
        "{bandwidth: {4 KiB: 50 MB/s, 64 KiB: 12 MB/s}, max_bandwidth: 11 MB/s}"));
}

TEST(ClusterYaml, AnEmptyLinkIsUnlimited) {
    const auto cluster = cluster_with_link("{}");

    ASSERT_TRUE(cluster) << cluster.error().message;
    EXPECT_TRUE(cluster.value().classes[0].link.out.bandwidth.unlimited());
}

TEST(ClusterYaml, KeysOfOtherProgramsAreIgnored) {
    const auto cluster = parse_cluster_yaml(
        "x-site: {anything: [1, 2]}\n"
        "version: 1\n"
        "node_classes: {c: {hwloc: {synthetic: 'pu:2'}, link: {}}}\n"
        "switches: {s: {nodes: n, class: c}}\n",
        "t.yaml");

    EXPECT_TRUE(cluster);
}

TEST(ClusterYaml, XmlIsLookedUpBesideTheFile) {
    const auto cluster = parse_cluster_yaml(
        "version: 1\n"
        "node_classes: {c: {hwloc: {xml: 2-core2-pu1.xml}, link: {}}}\n"
        "switches: {s: {nodes: n, class: c}}\n",
        data + "made-up.yaml");

    ASSERT_TRUE(cluster) << cluster.error().message;
    EXPECT_EQ(cluster.value().classes[0].tree.num_pus(), 2U);
}

/// Each file of bad/ ends with its error: "# error: LINE:COLUMN: message".
TEST(ClusterYaml, BadFilesSayWhatIsWrong) {
    std::size_t num_files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(data + "bad")) {
        const std::string path = entry.path().string();
        const std::string text = content(path);
        const std::string key = "# error: ";
        const auto begin = text.rfind(key);
        ASSERT_NE(begin, std::string::npos) << path;
        std::string expected = path + ":" + text.substr(begin + key.size());
        expected.pop_back();

        const auto cluster = read_cluster_yaml(path);

        ASSERT_FALSE(cluster) << path;
        std::string message = cluster.error().message;
        const std::string folder = data + "bad/";
        const std::size_t own = path.size();  // the file's own name stays
        for (auto at = message.find(folder, own); at != std::string::npos;
             at = message.find(folder, at)) {
            message.erase(at, folder.size());
        }
        EXPECT_EQ(message, expected);
        ++num_files;
    }
    EXPECT_GT(num_files, 70U);
}

TEST(ClusterYaml, TextsThatAreNoFile) {
    const auto message = [](std::string_view text) {
        const auto cluster = parse_cluster_yaml(text, "t.yaml");
        return cluster ? std::string("accepted") : cluster.error().message;
    };

    EXPECT_THAT(message(""), HasSubstr("t.yaml:1:1: the file is empty"));
    EXPECT_THAT(message("# nothing\n"), HasSubstr("t.yaml:1:1: the file is empty"));
    EXPECT_THAT(message("---\n"), HasSubstr("t.yaml:1:1: the file is empty"));
    EXPECT_THAT(message(std::string_view("version: 1\0\n", 12)), HasSubstr("NUL byte"));
    EXPECT_THAT(message(std::string(5U << 20U, ' ')), HasSubstr("larger than 4194304 bytes"));
    EXPECT_THAT(message("version: 1\nlinks: {\"a\\nb\": 3}\nnode_classes: 1\nswitches: 1\n"),
                HasSubstr("t.yaml:2:17: link 'a b' is '3'"));  // one line, whatever the name
    EXPECT_THAT(message("\xff\xfe\x80"), HasSubstr("t.yaml:1:1: "));
}

TEST(ClusterYaml, ANameWithoutEndIsRefused) {
    const std::string name(100000, 'a');

    const auto cluster = parse_cluster_yaml(
        "version: 1\n"
        "node_classes: {c: {hwloc: {synthetic: 'pu:2'}, link: {}}}\n"
        "switches: {s: {nodes: '" +
            name + "[0-999999]', class: c}}\n",
        "t.yaml");

    ASSERT_FALSE(cluster);
    EXPECT_THAT(cluster.error().message, HasSubstr("255 characters"));
    EXPECT_LT(cluster.error().message.size(), 400U);
}

TEST(ClusterYaml, PathsThatAreNoFile) {
    const std::string folder = testing::TempDir() + "cluster_yaml_" + std::to_string(::getpid());
    std::filesystem::create_directories(folder);
    const std::string fifo = folder + "/fifo";
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);

    const auto missing = read_cluster_yaml(folder + "/missing.yaml");
    const auto directory = read_cluster_yaml(folder);
    const auto waiting = read_cluster_yaml(fifo);

    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, Errc::not_found);
    ASSERT_FALSE(directory);
    EXPECT_THAT(directory.error().message, HasSubstr("is a directory"));
    ASSERT_FALSE(waiting);
    EXPECT_THAT(waiting.error().message, HasSubstr("is a FIFO"));
    std::filesystem::remove_all(folder);
}

/// Returns a chain of switches, each below the one before, with a node below the last switch.
std::string chain_of_switches(int num_switches) {
    std::string chain =
        "version: 1\nnode_classes: {c: {hwloc: {synthetic: 'pu:1'}, link: {}}}\nswitches:\n";
    for (int i = 1; i < num_switches; ++i)
        chain += "  s" + std::to_string(i) + ": {switches: [s" + std::to_string(i + 1) + "]" +
                 (i > 1 ? ", link: {}" : "") + "}\n";
    return chain + "  s" + std::to_string(num_switches) + ": {nodes: n, class: c, link: {}}\n";
}

TEST(ClusterYaml, SwitchesStandAtMost64Deep) {
    const auto deepest = parse_cluster_yaml(chain_of_switches(64), "t");
    const auto deeper = parse_cluster_yaml(chain_of_switches(65), "t");

    ASSERT_TRUE(deepest) << deepest.error().message;
    const auto hct = build_hct(deepest.value(), whole_cluster(deepest.value()));
    ASSERT_TRUE(hct) << hct.error().message;
    EXPECT_EQ(hct.value().num_elements(), 3U);  // the lowest switch, the node, its PU
    ASSERT_FALSE(deeper);
    EXPECT_EQ(deeper.error().message,
              "t:67:20: switch 's65' is 64 switches below the root, at most 63 are understood; "
              "leave out those with a single child");
}

/// No file within the size limit may take long: the test's own time limit would end it. These are
/// the shapes that are hard for parsers.
TEST(ClusterYaml, HostileShapesEndSoon) {
    std::string flat = "version: 1\nlinks: {";
    for (int i = 0; i < 20000; ++i) flat += "l" + std::to_string(i) + ": {bandwidth: 1 GB/s},";
    flat += "}\nnode_classes: 1\nswitches: 1\n";

    EXPECT_FALSE(parse_cluster_yaml(std::string(100000, '['), "t"));
    EXPECT_FALSE(parse_cluster_yaml(std::string(100000, '{'), "t"));
    EXPECT_FALSE(parse_cluster_yaml(std::string(100000, '?'), "t"));
    EXPECT_FALSE(parse_cluster_yaml(std::string(100000, '&'), "t"));
    EXPECT_FALSE(parse_cluster_yaml(flat, "t"));
    EXPECT_FALSE(parse_cluster_yaml(chain_of_switches(20000), "t"));
}

}  // namespace
}  // namespace commmap
