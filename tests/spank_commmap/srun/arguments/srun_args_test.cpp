// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/arguments/srun_args.hpp"

#include <getopt.h>
#include <gmock/gmock.h>

#include <cstring>
#include <random>
#include <set>

namespace commmap::spank {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Options as "name=value" or "name", then "--", then the command.
std::vector<std::string> read(const std::vector<std::string>& words) {
    std::vector<std::string> argv = {"srun"};
    argv.insert(argv.end(), words.begin(), words.end());
    const auto args = parse_srun_args(argv);
    if (!args) return {"error: " + args.error().message};
    std::vector<std::string> seen;
    for (const auto& option : args.value().options) {
        seen.push_back(std::string(option.name) + (option.value ? "=" + *option.value : ""));
    }
    seen.emplace_back("--");
    seen.insert(seen.end(), args.value().command.begin(), args.value().command.end());
    return seen;
}

TEST(SrunArgs, NamesAndLettersOfTheTableAreUnique) {
    std::set<std::string> names;
    std::set<char> letters;

    for (const SrunOptionRow& row : srun_option_table()) {
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
        if (row.letter != 0) {
            EXPECT_TRUE(letters.insert(row.letter).second) << row.letter;
        }
    }

    EXPECT_EQ(names.size(), 151U);  // srun_options.csv and --commmap
}

TEST(SrunArgs, ReadsLongNamesLettersAndAttachedValues) {
    EXPECT_THAT(
        read({"--ntasks=4", "--nodes", "2", "-t5", "-c", "1", "./a", "-n", "9"}),
        ElementsAre("ntasks=4", "nodes=2", "time=5", "cpus-per-task=1", "--", "./a", "-n", "9"));
}

TEST(SrunArgs, ReadsClusters) {
    EXPECT_THAT(read({"-lN2", "-vvlun4", "a"}),
                ElementsAre("label", "nodes=2", "verbose", "verbose", "label", "unbuffered",
                            "ntasks=4", "--", "a"));
}

TEST(SrunArgs, ReadsAbbreviations) {
    EXPECT_THAT(
        read({"--nta=4", "--cpu-b=cores", "--commm=auto", "--ntasks-per-n", "2", "a"}),
        ElementsAre(
            "error: option '--nta' of srun is not known to commmap"));  // ntasks, ntasks-per-...
    EXPECT_THAT(
        read({"--ntasks=4", "--cpu-b=cores", "--commm=auto", "--ntasks-per-n", "2", "a"}),
        ElementsAre("ntasks=4", "cpu-bind=cores", "commmap=auto", "ntasks-per-node=2", "--", "a"));
}

TEST(SrunArgs, AnOptionalValueNeverTakesTheNextWord) {
    EXPECT_THAT(read({"-I", "5", "a"}), ElementsAre("immediate", "--", "5", "a"));
    EXPECT_THAT(read({"-I5", "--exclusive", "user", "a"}),
                ElementsAre("immediate=5", "exclusive", "--", "user", "a"));
    EXPECT_THAT(read({"--exclusive=user", "-K0", "-K", "a"}),
                ElementsAre("exclusive=user", "kill-on-bad-exit=0", "kill-on-bad-exit", "--", "a"));
    EXPECT_THAT(read({"--overlap", "--pty", "a"}), ElementsAre("overlap", "pty", "--", "a"));
}

TEST(SrunArgs, StopsAtTheCommand) {
    EXPECT_THAT(read({"-n2", "--", "--odd", "-x"}), ElementsAre("ntasks=2", "--", "--odd", "-x"));
    EXPECT_THAT(read({"-n2", "a", "--nodes=3", ":", "-n1", "b"}),
                ElementsAre("ntasks=2", "--", "a", "--nodes=3", ":", "-n1", "b"));
    EXPECT_THAT(read({"-n", "-2", "a"}), ElementsAre("ntasks=-2", "--", "a"));
    EXPECT_THAT(read({"-J", "", "a", ""}), ElementsAre("job-name=", "--", "a", ""));
    EXPECT_THAT(read({}), ElementsAre("--"));
}

TEST(SrunArgs, RefusesWhatItDoesNotKnow) {
    EXPECT_THAT(read({"-n2", "--container-image=x", "a"}),
                ElementsAre("error: option '--container-image' of srun is not known to commmap"));
    EXPECT_THAT(read({"-lYn2", "a"}),
                ElementsAre("error: option '-lYn2' of srun is not known to commmap"));
    EXPECT_THAT(read({"--label=x", "a"}),
                ElementsAre("error: option '--label' of srun is not known to commmap"));
    EXPECT_THAT(read({"-n"}), ElementsAre("error: option '-n' of srun has no value"));
    EXPECT_THAT(read({"--ntasks"}), ElementsAre("error: option '--ntasks' of srun has no value"));
}

TEST(SrunArgs, TheLastValueWins) {
    const auto args = parse_srun_args({"srun", "-n2", "--ntasks=3", "-l", "a"});

    ASSERT_TRUE(args);
    EXPECT_EQ(args.value().value_of("ntasks"), "3");
    EXPECT_EQ(args.value().value_of("label"), "");
    EXPECT_FALSE(args.value().has("nodes"));
}

TEST(SrunArgs, LeavesGetoptAsItWas) {
    char program[] = "srun";
    char option[] = "-a";
    char* argv[] = {program, option, nullptr};
    ::optind = 1;
    ASSERT_EQ(::getopt(2, argv, "a"), 'a');
    const int optind_before = ::optind;
    ::opterr = 1;

    static_cast<void>(parse_srun_args({"srun", "--no-such", "a"}));

    EXPECT_EQ(::optind, optind_before);
    EXPECT_EQ(::opterr, 1);
    EXPECT_EQ(::getopt(2, argv, "a"), -1);
}

/// What is written back long must be read as the same options again, whatever srun was given.
TEST(SrunArgs, LongFormsReadBackTheSame) {
    std::mt19937 random(1);
    const auto table = srun_option_table();
    for (int round = 0; round < 500; ++round) {
        std::vector<std::string> argv = {"srun"};
        std::vector<std::string> expected;
        const auto count = random() % 6;
        for (std::size_t n = 0; n < count; ++n) {
            const SrunOptionRow& row = table[random() % table.size()];
            const std::string value = "v" + std::to_string(random() % 10);
            const bool with_value =
                row.arity == Arity::required || (row.arity == Arity::optional && random() % 2 == 0);
            if (row.letter != 0 && random() % 2 == 0) {
                argv.push_back(std::string("-") + row.letter + (with_value ? value : ""));
            } else if (row.arity == Arity::required && random() % 2 == 0) {
                argv.push_back(std::string("--") + row.name);
                argv.push_back(value);
            } else {
                argv.push_back(std::string("--") + row.name + (with_value ? "=" + value : ""));
            }
            expected.push_back(row.name + (with_value ? "=" + value : ""));
        }
        argv.emplace_back("command");
        expected.emplace_back("--");
        expected.emplace_back("command");

        EXPECT_EQ(read({argv.begin() + 1, argv.end()}), expected);
    }
}

TEST(SrunArgs, ReadsOwnCommandLine) {
    const auto argv = read_own_command_line();

    ASSERT_TRUE(argv) << argv.error().message;
    EXPECT_THAT(argv.value().front(), HasSubstr("srun_args"));
}

TEST(SrunArgs, NoCommandLineIsAnError) { EXPECT_FALSE(parse_srun_args({})); }

}  // namespace
}  // namespace commmap::spank
