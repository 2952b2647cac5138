// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/profile_collection.hpp"

#include <gmock/gmock.h>

#include "spank_commmap/srun/fake_srun.hpp"

namespace commmap::spank {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ProfileCollection, NothingIsCollectedWhereNoNodeKeptAnything) {
    Srun it(srun("profile"), allocation);

    EXPECT_THAT(it.call_up_to(Hook::exit), IsEmpty());
}

TEST(ProfileCollection, APartialProfileIsToldTheUser) {
    Srun it(srun("profile"), allocation);
    it.keep_parts_of_step();
    it.actions().answer.output = "partial: 3 of 4 ranks\nmore\n";

    EXPECT_THAT(it.call_up_to(Hook::exit),
                ElementsAre("run profile collect --profile-dir DIR --profile-readers user 7.0",
                            "say partial: 3 of 4 ranks"));
}

TEST(ProfileCollection, WhatCollectsMayTakeSoMuchOfTheLoginNode) {
    Srun it(srun("profile"), allocation);
    it.keep_parts_of_step();
    it.call_up_to(Hook::exit);

    EXPECT_EQ(it.actions().limits_of_last.memory_mib, 512U);
    EXPECT_EQ(it.actions().limits_of_last.seconds, 30U);
}

TEST(ProfileCollection, AProfileThatCannotBeCollectedIsToldTheUser) {
    Srun it(srun("profile"), allocation);
    it.keep_parts_of_step();
    it.actions().answer.end = ProgramResult::End::failed;
    it.actions().answer.reason = "took longer than 30 s";

    EXPECT_THAT(it.call_up_to(Hook::exit),
                ElementsAre("run profile collect --profile-dir DIR --profile-readers user 7.0",
                            "say no profile of this run: took longer than 30 s; try 'commmap "
                            "profile collect 7.0'"));
}

}  // namespace
}  // namespace commmap::spank
