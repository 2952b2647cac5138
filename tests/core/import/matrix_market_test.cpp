// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/import/import_text.hpp"

namespace commmap {
namespace {

using testing::HasSubstr;

const std::string head = "%%MatrixMarket matrix coordinate integer general\n% a comment\n";

TEST(ImportMatrixMarket, EntriesFromOneOn) {
    const auto imported = import_text("matrixmarket", {head + "3 3 2\n1 3 10\n3 1 20\n"});

    ASSERT_TRUE(imported) << imported.error().message;
    EXPECT_EQ(messages_of(imported.value()), "0>2 1:10 2>0 1:20");
}

TEST(ImportMatrixMarket, SymmetricStandsForBoth) {
    const auto imported = import_text(
        "matrixmarket", {"%%MatrixMarket MATRIX coordinate real symmetric\n2 2 2\n2 1 5\n1 1 3\n"});

    ASSERT_TRUE(imported) << imported.error().message;
    EXPECT_EQ(messages_of(imported.value()), "0>0 1:3 0>1 1:5 1>0 1:5");
}

TEST(ImportMatrixMarket, WhatIsWrongIsNamedWithItsLine) {
    EXPECT_THAT(refused("matrixmarket", {"1 2 3\n"}),
                HasSubstr("a:1: a Matrix Market file begins"));
    EXPECT_THAT(refused("matrixmarket", {"%%MatrixMarket matrix array real general\n"}),
                HasSubstr("a:1: 'array real general' cannot be imported"));
    EXPECT_THAT(refused("matrixmarket", {head + "3 4 2\n"}), HasSubstr("a:3: not square"));
    EXPECT_THAT(refused("matrixmarket", {head + "0 0 0\n"}), HasSubstr("a:3: not 'rows"));
    EXPECT_THAT(refused("matrixmarket", {head + "4000000000 4000000000 1\n1 1 1\n"}),
                HasSubstr("a:3: rank 3999999999 is above"));
    EXPECT_THAT(refused("matrixmarket", {head + "4000000 4000000 1\n1 1 1\n"}),
                HasSubstr("give --ntasks 4000000"));
    EXPECT_THAT(refused("matrixmarket", {head + "3 3 1\n0 1 5\n"}), HasSubstr("a:4: '0' is none"));
    EXPECT_THAT(refused("matrixmarket", {head + "3 3 1\n1 4 5\n"}), HasSubstr("a:4: '4' is none"));
    EXPECT_THAT(refused("matrixmarket", {head + "3 3 1\n1 2 -5\n"}), HasSubstr("a:4: '-5'"));
    EXPECT_THAT(refused("matrixmarket", {head + "3 3 1\n1 2 5\n1 2 5\n"}),
                HasSubstr("a:5: more entries than the 1 that"));
    EXPECT_THAT(refused("matrixmarket", {head + "3 3 2\n1 2 5\n"}),
                HasSubstr("the file ends after 1 of 2 entries"));
    EXPECT_THAT(refused("matrixmarket", {head}), HasSubstr("the file ends after 0 entries"));
    EXPECT_THAT(refused("matrixmarket", {""}), HasSubstr("empty"));
}

}  // namespace
}  // namespace commmap
