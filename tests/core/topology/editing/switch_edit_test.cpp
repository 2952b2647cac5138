// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/topology/cluster_yaml.hpp"
#include "core/topology/editing/edited_cluster.hpp"
#include "core/topology/editing/link_edit.hpp"

namespace commmap {
namespace {

using testing::HasSubstr;

const std::string head =
    "version: 1\n"
    "links: {port: {bandwidth: 1 GB/s}}\n"
    "node_classes: {c: {hwloc: {synthetic: 'pu:2'}, link: port}}\n"
    "switches:\n";

SwitchEdit edit(const std::string& name) {
    return {name, 15.5e6, {"measured maximum of '" + name + "': on a day"}};
}

std::string edited(const std::string& text, const std::vector<SwitchEdit>& switches,
                   const std::vector<LinkEdit>& links = {}) {
    const auto before = parse_cluster_yaml(text, "t.yaml");
    EXPECT_TRUE(before) << before.error().message << '\n' << text;
    const auto done = edit_links(text, "t.yaml", links, switches);
    if (!done) return done.error().message;
    const auto after = parse_cluster_yaml(done.value(), "t.yaml");
    EXPECT_TRUE(after) << after.error().message << '\n' << done.value();
    const Status checked = check_edited(before.value(), after.value(), links, switches);
    EXPECT_TRUE(checked) << checked.error().message << '\n' << done.value();
    return done.value();
}

TEST(SwitchEdit, AddsTheMaximumBehindTheLastKey) {
    EXPECT_EQ(edited(head + "  s: {nodes: n, class: c}  # ours\n", {edit("s")}),
              head +
                  "  # measured maximum of 's': on a day\n"
                  "  s: {nodes: n, class: c, max_bandwidth: 15.5 MB/s}  # ours\n");
    EXPECT_EQ(edited(head + "  s:\n    nodes: n\n    class: c\n", {edit("s")}),
              head +
                  "  # measured maximum of 's': on a day\n"
                  "  s:\n    nodes: n\n    class: c\n    max_bandwidth: 15.5 MB/s\n");
}

TEST(SwitchEdit, ReplacesAMaximumAndItsComment) {
    const std::string once =
        edited(head + "  s: {nodes: n, max_bandwidth: 1 GB/s, class: c}\n", {edit("s")});
    EXPECT_THAT(once, HasSubstr("  s: {nodes: n, max_bandwidth: 15.5 MB/s, class: c}\n"));
    EXPECT_EQ(edited(once, {edit("s")}), once);
}

TEST(SwitchEdit, ChangesALinkOfTheSameSwitchToo) {
    const std::string text = head +
                             "  t: {switches: [s, u], max_bandwidth: 2 GB/s}\n"
                             "  s:\n    nodes: n\n    class: c\n    link:\n"
                             "      bandwidth: 1 GB/s\n"
                             "  u: {nodes: m, class: c, link: port}\n";
    const LinkEdit link{{"switches", "s", "link"},
                        {1e-4, BandwidthCurve(12e6), 12e6, 12e6},
                        {"measured switch 's': on a day"}};

    const std::string after = edited(text, {edit("s"), edit("t")}, {link});

    EXPECT_THAT(after, HasSubstr("  t: {switches: [s, u], max_bandwidth: 15.5 MB/s}\n"));
    EXPECT_THAT(after, HasSubstr("      rate: payload\n    max_bandwidth: 15.5 MB/s\n"));
    EXPECT_EQ(edited(after, {edit("s"), edit("t")}, {link}), after);
}

TEST(SwitchEdit, LeavesCommentsAboveTheirSwitchInAnyOrder) {
    const std::string text = head +
                             "  t:\n    switches: [u, s]\n"
                             "  s:\n    nodes: n\n    class: c\n    link: port\n"
                             "  u:\n    nodes: m\n    class: c\n    link: port\n";
    const std::string wanted =
        head +
        "  # measured maximum of 't': on a day\n"
        "  t:\n    switches: [u, s]\n    max_bandwidth: 15.5 MB/s\n"
        "  # measured maximum of 's': on a day\n"
        "  s:\n    nodes: n\n    class: c\n    link: port\n    max_bandwidth: 15.5 MB/s\n"
        "  # measured maximum of 'u': on a day\n"
        "  u:\n    nodes: m\n    class: c\n    link: port\n    max_bandwidth: 15.5 MB/s\n";

    EXPECT_EQ(edited(text, {edit("u"), edit("s"), edit("t")}), wanted);
    EXPECT_EQ(edited(wanted, {edit("u"), edit("s"), edit("t")}), wanted);
}

TEST(SwitchEdit, RefusesWhatStandsForMoreThanItsText) {
    EXPECT_THAT(edited(head + "  s: &all {nodes: n, class: c}\n", {edit("s")}),
                HasSubstr("t.yaml:5:6: switch 's' has an anchor or a tag: write its numbers"));
    EXPECT_THAT(edited(head + "  s: {nodes: n, class: c}\n", {edit("other")}),
                HasSubstr("switch 'other' is not found here"));
}

TEST(SwitchEdit, IsCompared) {
    const auto of = [](const std::string& max) {
        return parse_cluster_yaml(head + "  s: {nodes: n, class: c" + max + "}\n", "t").value();
    };
    const std::vector<SwitchEdit> edits{edit("s")};
    EXPECT_TRUE(check_edited(of(""), of(", max_bandwidth: 15.5 MB/s"), {}, edits));
    EXPECT_FALSE(check_edited(of(""), of(", max_bandwidth: 16.5 MB/s"), {}, edits));
    EXPECT_FALSE(check_edited(of(""), of(""), {}, edits));
    EXPECT_FALSE(check_edited(of(""), of(", max_bandwidth: 15.5 MB/s"), {}, {}));
}

}  // namespace
}  // namespace commmap
