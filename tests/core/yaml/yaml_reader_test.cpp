// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/yaml/yaml_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string_view>

namespace commmap {
namespace {

using namespace std::string_view_literals;
using testing::HasSubstr;

const YamlReader reader("a.yaml", {"a menu", "the menu"});

std::string refusal_of(std::string_view text) {
    const auto document = reader.load(text);
    return document ? "" : document.error().message;
}

TEST(YamlReader, AMistakeHasItsPlaceAndTheKindOfFile) {
    EXPECT_EQ(refusal_of(""), "a.yaml:1:1: the file is empty; start with 'version: 1' (the menu)");
    EXPECT_EQ(refusal_of("a: 1\n---\nb: 2\n"),
              "a.yaml:2:1: a second document; a menu is one document, remove the '---'");
    EXPECT_THAT(refusal_of("a: [1\n"), HasSubstr("not YAML: "));
    EXPECT_THAT(refusal_of("a: \0"sv), HasSubstr("NUL byte"));
}

TEST(YamlReader, AMapHasOnlyKnownKeysEachOnce) {
    constexpr std::array keys{"soup"sv, "fish"sv};
    const auto keys_of = [&](std::string_view text) {
        const auto map = reader.read_map(reader.load(text).value(), "the menu", keys);
        return map ? "" : map.error().message;
    };
    EXPECT_EQ(keys_of("soup: 1\nfish: 2\n"), "");
    EXPECT_EQ(
        keys_of("soup: 1\nfihs: 2\n"),
        "a.yaml:2:1: unknown key 'fihs' of the menu, known: soup, fish; did you mean 'fish'?");
    EXPECT_EQ(keys_of("soup: 1\nsoup: 2\n"),
              "a.yaml:2:1: key 'soup' of the menu stands twice, first at 1:1; remove one");
    EXPECT_EQ(keys_of("soup:\n"),
              "a.yaml:1:1: 'soup' of the menu is empty; give it a value or remove it");
    EXPECT_EQ(keys_of("[soup]"),
              "a.yaml:1:1: the menu is a list; it must be a map with the keys soup, fish");
}

TEST(YamlReader, AListHasAtLeastOneItem) {
    EXPECT_EQ(reader.read_list(reader.load("[1, 2]").value(), "the dishes").value().size(), 2U);
    EXPECT_EQ(reader.read_list(reader.load("[]").value(), "the dishes").error().message,
              "a.yaml:1:1: the dishes is an empty list; name at least one or remove the key");
    EXPECT_EQ(reader.read_list(reader.load("soup").value(), "the dishes").error().message,
              "a.yaml:1:1: the dishes is 'soup'; it must be a list '[a, b]'");
}

}  // namespace
}  // namespace commmap
