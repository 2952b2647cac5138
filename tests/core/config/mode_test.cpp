// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/config/mode.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "core/config/page.hpp"
#include "core/config/sources.hpp"

namespace commmap {
namespace {

std::string refusal(const std::string& value, unsigned scope = scope_cli) {
    Options options;
    const Status status = set_mode(options, value, scope);
    return status ? "" : status.error().message;
}

TEST(Mode, TakesTheModesAndVerbose) {
    Options options;
    ASSERT_TRUE(set_mode(options, "profile"));
    EXPECT_EQ(options.mode, Mode::profile);
    EXPECT_FALSE(options.verbose);
    ASSERT_TRUE(set_mode(options, "auto,verbose"));
    EXPECT_EQ(options.mode, Mode::automatic);
    EXPECT_TRUE(options.verbose);
}

TEST(Mode, WordsComeInAnyOrder) {
    for (const char* value :
         {"auto,verbose,dry-run,report=a b=c%j.json", "auto,report=a b=c%j.json,dry-run",
          "auto,dry-run,report=a b=c%j.json"}) {
        Options options;
        ASSERT_TRUE(set_mode(options, value)) << value;
        EXPECT_TRUE(options.dry_run);
        EXPECT_TRUE(options.verbose) << "a dry run that prints nothing is of no use";
        EXPECT_EQ(options.report, "a b=c%j.json");
    }
}

TEST(Mode, TakesWhatToKeep) {
    Options options;
    ASSERT_TRUE(set_mode(options, "auto,keep=blocks,verbose"));
    EXPECT_EQ(options.keep, LayoutConstraint::blocks);
    ASSERT_TRUE(set_mode(options, "auto,verbose"));
    EXPECT_EQ(options.keep, LayoutConstraint::blocks) << "a value without the word leaves it alone";
    ASSERT_TRUE(set_mode(options, "auto,keep=none"));
    EXPECT_EQ(options.keep, LayoutConstraint::none);
    ASSERT_TRUE(set_option(options, scope_plugstack, "keep", "order"));
    EXPECT_EQ(options.keep, LayoutConstraint::order);
    EXPECT_FALSE(set_option(options, scope_plugstack, "keep", "nodes"));
    for (const char* value : {"auto,keep", "auto,keep=", "auto,keep=nodes", "off,keep=order"})
        EXPECT_FALSE(set_mode(options, value)) << value;
}

TEST(Mode, TakesWhatRunsInside) {
    Options options;
    ASSERT_TRUE(set_mode(options, "auto,inside=collectives"));
    EXPECT_EQ(options.inside, Inside::collectives);
    ASSERT_TRUE(set_mode(options, "auto,inside=none"));
    EXPECT_EQ(options.inside, Inside::none);
    ASSERT_TRUE(set_option(options, scope_plugstack, "inside", "collectives"));
    ASSERT_TRUE(set_mode(options, "auto,verbose"));
    EXPECT_EQ(options.inside, Inside::collectives) << "a value without the word leaves it alone";
    for (const char* value : {"auto,inside", "auto,inside=all", "profile,inside=collectives"})
        EXPECT_FALSE(set_mode(options, value)) << value;
}

TEST(Mode, ALaterSourceSaysAnewWhetherToLaunchAndToReport) {
    Options options;
    ASSERT_TRUE(set_mode(options, "auto,dry-run,report=a"));
    ASSERT_TRUE(set_mode(options, "auto"));
    EXPECT_FALSE(options.dry_run);
    EXPECT_EQ(options.report, "");
}

TEST(Mode, RefusesAnythingElseAndChangesNothing) {
    for (const char* value :
         {"", "Auto", "automatic", "auto,", "auto,loud", "verbose", "auto,verbose=1", "auto,report",
          "auto,report=", "off,dry-run", "profile,report=a", "auto,report=a,b", "help,dry-run",
          "auto,verbose,"}) {
        Options options;
        const Status status = set_mode(options, value);
        ASSERT_FALSE(status) << value;
        EXPECT_EQ(options.mode, Mode::off);
        EXPECT_FALSE(options.verbose);
        EXPECT_EQ(options.report, "");
    }
}

TEST(Mode, ARefusalNamesTheNearestWordAndAll) {
    EXPECT_EQ(refusal("atuo"),
              "'atuo' is not a mode; did you mean 'auto'? (off, profile, auto or help)");
    EXPECT_EQ(refusal("auto,vrebose"),
              "unknown word 'vrebose'; did you mean 'verbose'? (verbose, keep, inside, tag, "
              "dry-run or report)");
    EXPECT_EQ(refusal("auto,report"), "'report' is not report=FILE");
    EXPECT_EQ(refusal("auto,report="), "'report=' is not report=FILE");
    EXPECT_EQ(refusal("auto,verbose=1"), "'verbose=1': verbose takes no value");
    EXPECT_EQ(refusal("verbose=1"), "'verbose' comes after a mode: auto,verbose");
    EXPECT_EQ(refusal("keep="), "'keep' comes after a mode: auto,keep=WHAT");
}

TEST(Mode, ASettingIsNoWord) {
    const std::string by_users = "'rank0' is no word of --commmap: set COMMMAP_RANK0=first|free";
    EXPECT_EQ(refusal("auto,rank0=free"), by_users);
    EXPECT_EQ(refusal("rank0=free"), by_users);
    EXPECT_EQ(refusal("auto,rank0=free", scope_environment), by_users);
    EXPECT_EQ(refusal("auto,rank0=free", scope_plugstack),
              "'rank0' is no word of mode: set rank0=first|free");
    // a word of users
    EXPECT_EQ(refusal("auto,tag=x", scope_plugstack),
              "unknown word 'tag=x' (verbose, keep or inside)");
    EXPECT_EQ(refusal("auto,mode=auto"),
              "unknown word 'mode=auto' (verbose, keep, inside, tag, dry-run or report)");
    EXPECT_EQ(refusal("profile,dry-run"), "'dry-run' works with the mode auto only");
    EXPECT_NE(refusal("auto,report=a,b.json").find("can have no comma"), std::string::npos);
}

TEST(Mode, NotEverySourceMaySayEverything) {
    EXPECT_EQ(refusal("help"), "");
    EXPECT_EQ(refusal("auto,dry-run,report=a", scope_environment), "");
    EXPECT_NE(refusal("help", scope_environment), "");
    EXPECT_NE(refusal("auto,dry-run", scope_plugstack), "") << "no launch of the site would run";
    EXPECT_NE(refusal("auto,report=a", scope_plugstack), "");
    EXPECT_EQ(refusal("auto,verbose", scope_plugstack), "");

    Options options;
    EXPECT_EQ(read_plugstack_arguments(options, {"mode=auto,dry-run"}).size(), 1U);
    ::setenv("COMMMAP", "auto,dry-run", 1);
    EXPECT_TRUE(read_environment(options).empty());
    ::unsetenv("COMMMAP");
    EXPECT_TRUE(options.dry_run);
}

TEST(ModeHelp, HasALineForEveryRowWithItsDefault) {
    std::istringstream text(mode_help());
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    const auto one_line_with = [&](const std::string& name, std::string_view help,
                                   std::string_view default_text) {
        int found = 0;
        for (const std::string& line : lines) {
            if (line.starts_with("  " + name + " ") && line.find(help) != std::string::npos &&
                line.find(default_text) != std::string::npos)
                ++found;
        }
        EXPECT_EQ(found, 1) << name;
    };
    for (const ModeRow& mode : mode_table()) one_line_with(std::string(mode.name), mode.help, "");
    one_line_with("off", "", "[default]");
    for (const ModeWord& word : mode_word_table()) {
        const std::string value = word.value.empty() ? "" : "=" + std::string(word.value);
        one_line_with(std::string(word.name) + value, word.help,
                      "[" + std::string(word.default_text) + "]");
    }
    for (const OptionSpec& spec : option_table()) {
        if ((spec.scopes & scope_environment) == 0) continue;
        one_line_with(environment_name(spec.name) + "=" + std::string(spec.value), spec.help,
                      "[" + std::string(spec.default_text) + "]");
    }
}

TEST(ModeTable, EveryWordIsInTheLaunchPageAndTheManPage) {
    const std::string launch = page("docs/user/launch.md");
    const std::string manual = page("docs/man/commmap.7");
    std::vector<std::string> names;
    for (const ModeRow& mode : mode_table()) names.emplace_back(mode.name);
    for (const ModeWord& word : mode_word_table()) names.emplace_back(word.name);
    for (const std::string& name : names) {
        EXPECT_NE(launch.find("`" + name), std::string::npos) << name;
        std::string escaped;
        for (const char c : name) escaped += c == '-' ? std::string("\\-") : std::string(1, c);
        EXPECT_NE(manual.find(escaped), std::string::npos) << name;
    }
}

}  // namespace
}  // namespace commmap
