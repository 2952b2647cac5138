// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/topology/editing/link_edit.hpp"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "core/topology/cluster_yaml.hpp"
#include "core/topology/editing/edited_cluster.hpp"

namespace commmap {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

LinkNumbers numbers() {
    return {116e-6, BandwidthCurve({{4096, 70.5e6}, {2097152, 12e6}}), 12e6, 12e6};
}

LinkEdit edit(const std::string& link, const LinkNumbers& measured = numbers()) {
    return {{"links", link},
            measured,
            {"measured '" + link + "': on a day", "measured '" + link + "': spread 1 %"}};
}

const std::string comments_of_port =
    "  # measured 'port': on a day\n"
    "  # measured 'port': spread 1 %\n";
const std::string rest =
    "node_classes: {c: {hwloc: {synthetic: 'pu:2'}, link: port}}\n"
    "switches: {s: {nodes: n, class: c}}\n";

std::string edited(const std::string& text, const std::vector<LinkEdit>& edits) {
    EXPECT_TRUE(parse_cluster_yaml(text, "t.yaml")) << text;
    const auto done = edit_links(text, "t.yaml", edits);
    if (!done) return done.error().message;
    const auto cluster = parse_cluster_yaml(done.value(), "t.yaml");
    EXPECT_TRUE(cluster) << cluster.error().message << '\n' << done.value();
    return done.value();
}

std::string edited_links(const std::string& links) {
    const std::string head = "version: 1\nlinks:\n";
    const std::string text = edited(head + links + rest, {edit("port")});
    if (!text.starts_with(head) || !text.ends_with(rest)) return text;
    return text.substr(head.size(), text.size() - head.size() - rest.size());
}

/// The new text of a link in one line, or the error.
std::string edited_in_line(const std::string& link, LinkNumbers measured) {
    measured.bandwidth = BandwidthCurve(12e6);
    const std::string head = "version: 1\nlinks:\n";
    const std::string text =
        edited(head + "  port: " + link + "\n" + rest, {edit("port", measured)});
    const std::size_t begin = text.find("  port: ");
    if (begin == std::string::npos) return text;
    return text.substr(begin + 8, text.find('\n', begin) - begin - 8);
}

std::string edited_with_gap(const std::string& link) {
    LinkNumbers measured = numbers();
    measured.gap_s = 9e-6;
    return edited_in_line(link, measured);
}

TEST(LinkEdit, AMeasuredGapTakesThePlaceOfAnOldOneOrIsAdded) {
    const std::string others = "bandwidth: 12.0 MB/s, max_bandwidth: 12.0 MB/s";
    EXPECT_EQ(edited_with_gap("{latency: 60 us, gap: 5 us, bandwidth: 1 GB/s}"),
              "{latency: 116 us, gap: 9.00 us, bandwidth: 12.0 MB/s, max_bandwidth: 12.0 MB/s, "
              "rate: payload}");
    EXPECT_EQ(edited_with_gap("{latency: 60 us, bandwidth: 1 GB/s}"),
              "{latency: 116 us, bandwidth: 12.0 MB/s, gap: 9.00 us, max_bandwidth: 12.0 MB/s, "
              "rate: payload}");
    EXPECT_EQ(edited_with_gap("{latency: 60 us, out: {gap: 5 us}, bandwidth: 1 GB/s}"),
              "{latency: 116 us, out: {gap: 9.00 us}, " + others +
                  ", rate: payload, in: {gap: 9.00 us}}");
}

std::string edited_with_duplex(const std::string& link, bool half_duplex) {
    LinkNumbers measured = numbers();
    measured.half_duplex = half_duplex;
    return edited_in_line(link, measured);
}

TEST(LinkEdit, HalfDuplexIsWrittenWhereItWasMeasured) {
    const std::string plain = "{latency: 60 us, bandwidth: 1 GB/s}";
    const std::string measured = "{latency: 116 us, bandwidth: 12.0 MB/s, ";
    const std::string others = "max_bandwidth: 12.0 MB/s, rate: payload}";
    EXPECT_EQ(edited_with_duplex(plain, true), measured + "duplex: half, " + others);
    EXPECT_EQ(edited_with_duplex(plain, false), measured + others);
    const std::string half = "{duplex: half, latency: 60 us, bandwidth: 1 GB/s}";
    const std::string rest_of_half = "latency: 116 us, bandwidth: 12.0 MB/s, " + others;
    EXPECT_EQ(edited_with_duplex(half, false), "{duplex: full, " + rest_of_half);
    EXPECT_EQ(edited_with_duplex(half, true), "{duplex: half, " + rest_of_half);
    EXPECT_EQ(edited_with_duplex("{latency: 60 us, out: {bandwidth: 1 GB/s}}", true),
              "t.yaml:3:26: link 'port' is half duplex, and has 'out' here: write its numbers by "
              "hand");
}

TEST(LinkEdit, ANewLinkMayBeHalfDuplex) {
    LinkNumbers measured = numbers();
    measured.half_duplex = true;
    const std::string text =
        edited("version: 1\nlinks:\n  port: {}\n" + rest, {edit("other", measured)});

    EXPECT_THAT(text, HasSubstr("  other:\n"));
    EXPECT_THAT(text, HasSubstr("    duplex: half\n"));
}

TEST(LinkEdit, ValuesAreReplacedInPlaceAndCommentsStay) {
    EXPECT_EQ(edited_links("  # the vendor says\n"
                           "  port:   # all nodes\n"
                           "    latency:  60 us   # a guess\n"
                           "    bandwidth: '100 Mbit/s'\t# line\n"
                           "    # behind the last key\n"
                           "  other: {}\n"),
              "  # the vendor says\n" + comments_of_port +
                  "  port:   # all nodes\n"
                  "    latency:  116 us   # a guess\n"
                  "    bandwidth: {4 KiB: 70.5 MB/s, 2 MiB: 12.0 MB/s}\t# line\n"
                  "    max_bandwidth: 12.0 MB/s\n"
                  "    rate: payload\n"
                  "    # behind the last key\n"
                  "  other: {}\n");
}

TEST(LinkEdit, FlowStyleStaysFlowStyle) {
    EXPECT_EQ(edited_links("  a: {}\n"
                           "  port: { bandwidth: 100 Mbit/s, latency: 60 us, }  # one line\n"),
              "  a: {}\n" + comments_of_port +
                  "  port: { bandwidth: {4 KiB: 70.5 MB/s, 2 MiB: 12.0 MB/s}, latency: 116 us, "
                  "max_bandwidth: 12.0 MB/s, rate: payload, }  # one line\n");
    EXPECT_EQ(edited_links("  port: {}\n"),
              comments_of_port +
                  "  port: {latency: 116 us, bandwidth: {4 KiB: 70.5 MB/s, 2 MiB: 12.0 MB/s}, "
                  "max_bandwidth: 12.0 MB/s, rate: payload}\n");
    EXPECT_EQ(edited_links("  port: {  # {several} lines\n"
                           "    latency: 60 us,  # '}'\n"
                           "    \"bandwidth\": {1 KiB: 3 MB/s,  # short\n"
                           "                4 KiB: 5 MB/s}\n"
                           "    # end\n"
                           "  }\n"),
              comments_of_port +
                  "  port: {  # {several} lines\n"
                  "    latency: 116 us,  # '}'\n"
                  "    \"bandwidth\": { # short\n"
                  "                 4 KiB: 70.5 MB/s, 2 MiB: 12.0 MB/s}, max_bandwidth: 12.0 MB/s, "
                  "rate: payload\n"
                  "    # end\n"
                  "  }\n");
}

TEST(LinkEdit, ACurveInLinesStaysInLinesWithItsComments) {
    EXPECT_EQ(edited_links("  port:\n"
                           "    bandwidth:\n"
                           "      1 KiB: 20 MB/s  # slow\n"
                           "      # from the vendor\n"
                           "      64 KiB: 110 MB/s   # full\n"
                           "    rate: line  # as sold\n"),
              comments_of_port +
                  "  port:\n"
                  "    bandwidth:\n"
                  "      # slow\n"
                  "      # from the vendor\n"
                  "      4 KiB: 70.5 MB/s\n"
                  "      2 MiB: 12.0 MB/s   # full\n"
                  "    rate: payload  # as sold\n"
                  "    latency: 116 us\n"
                  "    max_bandwidth: 12.0 MB/s\n");
}

TEST(LinkEdit, DirectionsKeepTheirMaps) {
    LinkNumbers measured = numbers();
    measured.max_out_bytes_per_s = 24e6;
    const auto with = [&](const std::string& link) {
        const std::string text =
            edited("version: 1\nlinks:\n  port: " + link + "\n" + rest, {edit("port", measured)});
        const std::size_t begin = text.find("  port: ");
        return begin == std::string::npos
                   ? text
                   : text.substr(begin + 8, text.find('\n', begin) - begin - 8);
    };
    const std::string curve = "bandwidth: {4 KiB: 70.5 MB/s, 2 MiB: 12.0 MB/s}";
    EXPECT_EQ(
        with("{latency: 1 us, bandwidth: 1 GB/s, max_bandwidth: 2 GB/s}"),
        "{latency: 116 us, " + curve +
            ", out: {max_bandwidth: 24.0 MB/s}, in: {max_bandwidth: 12.0 MB/s}, rate: payload}");
    EXPECT_EQ(with("{out: {bandwidth: 1 GB/s}, in: {bandwidth: 2 GB/s, max_bandwidth: 2 GB/s}, "
                   "latency: 1 us}"),
              "{out: {" + curve + ", max_bandwidth: 24.0 MB/s}, in: {" + curve +
                  ", max_bandwidth: 12.0 MB/s}, latency: 116 us, rate: payload}");
    EXPECT_EQ(with("{out: {bandwidth: 1 GB/s}, max_bandwidth: 2 GB/s}"),
              "{out: {" + curve + ", max_bandwidth: 24.0 MB/s}, in: {" + curve +
                  ", max_bandwidth: 12.0 MB/s}, latency: 116 us, rate: payload}");
    EXPECT_EQ(with("{out: {bandwidth: 1 GB/s}, in: {bandwidth: 1 GB/s}, max_bandwidth: 2 GB/s}"),
              "t.yaml:3:61: the directions of link 'port' differ, and 'max_bandwidth' stands "
              "beside 'out' and 'in': write its numbers by hand");
}

TEST(LinkEdit, AGapStaysUnlessItWouldBeTooLong) {
    EXPECT_THAT(edited_links("  port: {latency: 200 us, gap: 100 us}\n"), HasSubstr("gap: 100 us"));
    const std::string shortened = edited_links("  port: {latency: 400 us, gap: 200 us}\n");
    EXPECT_THAT(shortened, HasSubstr("gap: 58.0 us"));
    EXPECT_THAT(shortened, HasSubstr("# measured 'port': the gap is shortened like the latency\n"));
}

TEST(LinkEdit, TheNextCalibrationReplacesItsOwnCommentsOnly) {
    const std::string once = edited_links("  # mine\n  port:\n    latency: 1 us  # old\n");
    EXPECT_EQ(edited_links(once), once);

    const std::string between =
        "  # measured 'port': long ago\n"
        "  # measured 'other': long ago\n"
        "  # mine\n"
        "  # measured 'port': spread 80 %\n"
        "  # yours\n"
        "  port: {}\n";
    EXPECT_THAT(edited_links(between),
                StartsWith(comments_of_port + "  # measured 'other': long ago\n"
                                              "  # mine\n"
                                              "  # yours\n"
                                              "  port: {latency"));
}

TEST(LinkEdit, SeveralLinksAndNewOnes) {
    const std::string text =
        edited("version: 1\nlinks:\n  port: {}\n  trunk: {}   # last\n\n# classes\n" + rest,
               {edit("trunk"), edit("port-uplink"), edit("port")});
    EXPECT_THAT(text, HasSubstr("  # measured 'trunk': spread 1 %\n  trunk: {latency: 116 us, "));
    EXPECT_THAT(text, HasSubstr("rate: payload}   # last\n"
                                "  # measured 'port-uplink': on a day\n"
                                "  # measured 'port-uplink': spread 1 %\n"
                                "  port-uplink:\n"
                                "    latency: 116 us\n"
                                "    bandwidth: {4 KiB: 70.5 MB/s, 2 MiB: 12.0 MB/s}\n"
                                "    max_bandwidth: 12.0 MB/s\n"
                                "    rate: payload\n"
                                "\n# classes\n"));
    EXPECT_EQ(edited(text, {edit("trunk"), edit("port-uplink"), edit("port")}), text);
}

TEST(LinkEdit, LinksInOneLine) {
    const std::string text =
        edited("version: 1\nlinks: {port: {}, trunk: {latency: 3 us}}\n" + rest,
               {edit("trunk"), edit("new one"), edit("port")});
    const std::string link =
        "{latency: 116 us, bandwidth: {4 KiB: 70.5 MB/s, 2 MiB: 12.0 MB/s}, max_bandwidth: 12.0 "
        "MB/s, rate: payload}";
    EXPECT_THAT(text, StartsWith("version: 1\n# measured 'port': on a day\n"));
    EXPECT_THAT(text,
                HasSubstr("# measured 'new one': spread 1 %\nlinks: {port: " + link + ", trunk: "));
    EXPECT_THAT(text, HasSubstr(", \"new one\": " + link + "}\n"));
    EXPECT_EQ(edited(text, {edit("trunk"), edit("new one"), edit("port")}), text);
}

TEST(LinkEdit, LinksInTheirPlaces) {
    const std::string text =
        "version: 1\n"
        "node_classes:\n"
        "  c:\n"
        "    link: {}  # no limit known\n"
        "    hwloc: {synthetic: 'pu:2'}\n"
        "switches:\n"
        "  r: {switches: [s, t]}\n"
        "  s: {nodes: n, class: c, link: {latency: 1 us}}\n"
        "  t: {nodes: m, class: c, link: {latency: 1 us}}\n";
    const auto of = [](const std::string& section, const std::string& name) {
        return LinkEdit{{section, name, "link"}, numbers(), {"measured " + name + ": on a day"}};
    };
    const std::string after =
        edited(text, {of("switches", "t"), of("switches", "s"), of("node_classes", "c")});
    EXPECT_THAT(after, HasSubstr("  c:\n    # measured c: on a day\n    link: {latency: 116 us, "));
    EXPECT_THAT(after, HasSubstr("rate: payload}  # no limit known\n    hwloc: "));
    EXPECT_THAT(
        after,
        HasSubstr("  # measured s: on a day\n  s: {nodes: n, class: c, link: {latency: 116 us, "));
    EXPECT_THAT(after, HasSubstr("  # measured t: on a day\n  t: {nodes: m, "));
}

TEST(LinkEdit, LineEndsAndTheLastLineStayAsTheyAre) {
    std::string text = "version: 1\nlinks:\n  port:\n    latency: 1 us  # old\n" + rest;
    std::string expected = edited(text, {edit("port")});
    const auto with_cr = [](const std::string& lines) {
        std::string all;
        for (const char c : lines) all += c == '\n' ? std::string("\r\n") : std::string(1, c);
        return all;
    };
    EXPECT_EQ(edited(with_cr(text), {edit("port")}), with_cr(expected));

    const std::string head = "version: 1\n" + rest;
    text = head + "links:\n  port:\n    latency: 1 us  # no line end";
    EXPECT_EQ(edited(text, {edit("port")}),
              head + "links:\n" + comments_of_port +
                  "  port:\n    latency: 116 us  # no line end\n"
                  "    bandwidth: {4 KiB: 70.5 MB/s, 2 MiB: 12.0 MB/s}\n"
                  "    max_bandwidth: 12.0 MB/s\n    rate: payload");
    const std::string mark = "\xEF\xBB\xBF";
    EXPECT_EQ(edited(mark + text, {edit("port")}), mark + edited(text, {edit("port")}));
    const std::string other_letters =
        "# Stra\xC3\x9F"
        "e\n";
    EXPECT_EQ(edited(other_letters + text, {edit("port")}),
              other_letters + edited(text, {edit("port")}));
}

TEST(LinkEdit, WhatStandsForMoreThanItsTextIsRefused) {
    EXPECT_EQ(edited_links("  port: &p {latency: 1 us}\n"),
              "t.yaml:3:9: link 'port' has an anchor or a tag: write its numbers by hand");
    EXPECT_EQ(edited_links("  other: &p {latency: 1 us}\n  port: *p\n"),
              "t.yaml:4:9: link 'port' is an alias: write its numbers by hand");
    EXPECT_THAT(edited_links("  other: {latency: &l 1 us}\n  port:\n    latency: *l\n"),
                StartsWith("t.yaml:5:14: link 'port' is an alias"));
    EXPECT_THAT(edited_links("  port: {latency: !!str 1 us}\n"),
                StartsWith("t.yaml:3:19: link 'port' has an anchor or a tag"));
    EXPECT_THAT(edited_links("  port:\n    latency: 1\n      us\n"),
                StartsWith("t.yaml:4:14: link 'port' is written over several lines"));
    EXPECT_THAT(edited_links("  port:\n    latency: >-\n      1 us\n"),
                StartsWith("t.yaml:4:14: link 'port' is written over several lines"));
    EXPECT_THAT(
        edited(
            "version: 1\nnode_classes:\n  a: &a {hwloc: {synthetic: 'pu:2'}, link: {}}\n  b: *a\n"
            "switches: {s: {nodes: n, class: a}}\n",
            {{{"node_classes", "a", "link"}, numbers(), {}}}),
        StartsWith("t.yaml:3:6: 'a' has an anchor or a tag"));
}

TEST(LinkEdit, AnchorsElsewhereDoNoHarm) {
    EXPECT_THAT(edited_links("  other: &p {latency: 1 us}\n  third: *p\n  port: {latency: 2 us}\n"),
                HasSubstr("  other: &p {latency: 1 us}\n  third: *p\n" + comments_of_port +
                          "  port: {latency: 116 us, "));
}

TEST(LinkEdit, WhatIsReadIsCompared) {
    const std::string text = "version: 1\nlinks:\n  port: {latency: 1 us}\n" + rest;
    const auto cluster = [](const std::string& of) {
        return parse_cluster_yaml(of, "t.yaml").value();
    };
    const std::vector edits{edit("port")};
    const std::string after = edited(text, edits);
    EXPECT_TRUE(check_edited(cluster(text), cluster(after), edits));
    EXPECT_FALSE(check_edited(cluster(text), cluster(text), edits));
    EXPECT_FALSE(check_edited(cluster(text), cluster(after), {}));
    for (const auto& [from, to] :
         {std::pair{"116 us", "117 us"}, std::pair{"70.5 MB/s", "71.0 MB/s"},
          std::pair{"2 MiB", "1 MiB"}, std::pair{"payload", "line"},
          std::pair{"max_bandwidth: 12.0", "max_bandwidth: 12.2"}}) {
        std::string other = after;
        other.replace(other.find(from), std::string(from).size(), to);
        EXPECT_FALSE(check_edited(cluster(text), cluster(other), edits)) << other;
    }
    std::string half = after;
    half.insert(half.find("latency"), "duplex: half, ");
    EXPECT_FALSE(check_edited(cluster(text), cluster(half), edits)) << half;
}

/// A way to lay out a link with a comment after everything; all say the same.
std::string random_layout(std::mt19937& random, const std::string& name,
                          std::vector<std::string>& admins) {
    const auto one_of = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
    const auto note = [&] {
        if (one_of(2) == 0) return std::string("\n");
        admins.push_back(fmt::format("# note {} {}, {{[ 'of' ]}}", name, admins.size()));
        return std::string(1 + static_cast<std::size_t>(one_of(3)), ' ') + admins.back() + "\n";
    };
    std::vector<std::string> keys{"latency", "bandwidth", "max_bandwidth"};
    std::shuffle(keys.begin(), keys.end(), random);
    keys.resize(static_cast<std::size_t>(one_of(4)));
    const auto value = [&](const std::string& key) {
        if (key == "latency") return std::string("60 us");
        return std::string(one_of(2) == 0 ? "'100 Mbit/s'" : "12.5 MB/s");
    };
    std::string text;
    if (one_of(3) == 0) text += "\n";
    if (one_of(3) == 0) text += "   " + note();
    if (keys.empty()) return text + "  " + name + ": {}" + note();
    if (one_of(2) == 0) {  // flow
        text += "  " + name + ": {";
        for (std::size_t k = 0; k < keys.size(); ++k) {
            if (one_of(3) == 0) text += note() + "    ";
            text += (k > 0 ? " " : "") + keys[k] + ": " + value(keys[k]);
            if (k + 1 < keys.size() || one_of(3) == 0) text += ",";
        }
        if (one_of(3) == 0) text += note() + "  ";
        return text + "}" + note();
    }
    text += "  " + name + ":" + note();
    for (const std::string& key : keys) {
        if (one_of(4) == 0) text += "   " + note();
        if (key == "bandwidth" && one_of(2) == 0) {
            text += "    bandwidth:" + note() + "      1 B: 12.5 MB/s" + note() +
                    "      1 MiB: 12.5 MB/s" + note();
        } else {
            text += "    " + key + ":  " + value(key) + note();
        }
    }
    return text;
}

TEST(LinkEdit, WhateverTheLayoutAllElseStays) {
    std::mt19937 random(7);
    for (int round = 0; round < 100; ++round) {
        std::vector<std::string> admins;
        const std::string port = random_layout(random, "port", admins);
        const std::string other = random_layout(random, "other", admins);
        const std::string head = "version: 1 # head\nlinks:\n";
        const bool first = round % 2 == 0;
        const std::string text = head + (first ? port + other : other + port) + rest;
        const auto done = edit_links(text, "t.yaml", std::vector{edit("port")});
        ASSERT_TRUE(done) << done.error().message << '\n' << text;
        const std::string& after = done.value();
        const auto cluster = parse_cluster_yaml(after, "t.yaml");
        ASSERT_TRUE(cluster) << cluster.error().message << '\n' << text << '\n' << after;
        const Port& link = cluster.value().classes[0].link;
        ASSERT_NEAR(link.in.latency_ns, 116e3, 1) << text << after;
        ASSERT_EQ(link.in.bandwidth, numbers().bandwidth) << text << after;
        ASSERT_EQ(link.out, link.in) << text << after;
        ASSERT_TRUE(link.in.is_payload);
        ASSERT_THAT(after, StartsWith(head));
        ASSERT_TRUE(after.ends_with(rest));
        ASSERT_THAT(after, HasSubstr(other));
        for (const std::string& admin : admins) ASSERT_THAT(after, HasSubstr(admin)) << text;
        const auto again = edit_links(after, "t.yaml", std::vector{edit("port")});
        ASSERT_TRUE(again) << again.error().message;
        ASSERT_EQ(again.value(), after);
    }
}

/// A class has a link inside, too.
std::string with_inside(const std::string& inside) {
    return "version: 1\nlinks:\n  port: {bandwidth: 1 GB/s}\n  local: {bandwidth: 5 GB/s}\n"
           "node_classes: {c: {hwloc: {synthetic: 'core:2 pu:1'}, link: port, inside: {core: " +
           inside + "}}}\nswitches: {s: {nodes: n, class: c}}\n";
}

/// What check_edited() says of the edit; empty: all is as wanted.
std::string checked(const std::string& text, const LinkEdit& edit) {
    const auto before = parse_cluster_yaml(text, "t.yaml");
    const auto after = parse_cluster_yaml(edited(text, {edit}), "t.yaml");
    const Status done = check_edited(before.value(), after.value(), std::span(&edit, 1));
    return done ? "" : done.error().message;
}

TEST(LinkEdit, ALinkOfInsideChangesWhereItWasMeasuredInside) {
    LinkEdit inside = edit("local");
    EXPECT_THAT(checked(with_inside("local"), inside),
                HasSubstr("a measured link stands in 'inside' of class 'c' too"));

    inside.of_inside = true;
    EXPECT_EQ(checked(with_inside("local"), inside), "");
    EXPECT_EQ(checked(with_inside("{bandwidth: 3 GB/s}"), inside), "") << "nobody has it";
}

TEST(LinkEdit, NumbersOfInsideReachNoLinkBetweenNodes) {
    LinkEdit inside = edit("port");
    inside.of_inside = true;

    EXPECT_THAT(checked(with_inside("port"), inside),
                HasSubstr("the link of class 'c' would not be read as it was written"));
}

}  // namespace
}  // namespace commmap
