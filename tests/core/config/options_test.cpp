// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/config/options.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/config/page.hpp"
#include "core/config/sources.hpp"

namespace commmap {
namespace {

TEST(SetOption, NamesTheNearestOption) {
    Options options;
    const Status status = set_option(options, scope_plugstack, "treshold", "5");
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message.find("did you mean 'threshold'"), std::string::npos)
        << status.error().message;
}

TEST(SetOption, KeepsToItsScope) {
    Options options;
    EXPECT_FALSE(set_option(options, scope_plugstack, "profile-dir", "/tmp"))
        << "an admin must not choose users' files";
    EXPECT_FALSE(set_option(options, scope_environment, "program", "/bin/sh"))
        << "a user must not choose the planner";
    EXPECT_TRUE(set_option(options, scope_plugstack, "program", "/opt/commmap/bin/commmap"));
}

TEST(SetOption, ChecksValues) {
    Options options;
    for (const char* value : {"-1", "101", "five", "5%", "nan", ""}) {
        EXPECT_FALSE(set_option(options, scope_cli, "threshold", value)) << value;
    }
    EXPECT_TRUE(set_option(options, scope_cli, "threshold", "2.5"));
    EXPECT_DOUBLE_EQ(options.threshold_percent, 2.5);
    EXPECT_FALSE(set_option(options, scope_cli, "rank0", "second"));
    EXPECT_FALSE(set_option(options, scope_environment, "collectives", "mpich"));
    ASSERT_TRUE(set_option(options, scope_plugstack, "collectives", "mpich4"));
    EXPECT_EQ(options.collectives, CollectiveRules::mpich_4);
    ASSERT_TRUE(set_option(options, scope_cli, "collectives", "auto"));
    EXPECT_EQ(options.collectives, std::nullopt);
    EXPECT_FALSE(set_option(options, scope_plugstack, "plan-seconds", "0"));
    EXPECT_EQ(seconds_to_plan(options, 16), 1U);
    EXPECT_EQ(seconds_to_plan(options, 16384), 5U);
    ASSERT_TRUE(set_option(options, scope_plugstack, "plan-seconds", "7"));
    EXPECT_EQ(seconds_to_plan(options, 16384), 7U);
    EXPECT_FALSE(set_option(options, scope_cli, "seed", "18446744073709551616"));
    EXPECT_EQ(options.plan_threads, 2U);
    EXPECT_TRUE(set_option(options, scope_plugstack, "plan-threads", "8"));
    EXPECT_EQ(options.plan_threads, 8U);
    EXPECT_FALSE(set_option(options, scope_plugstack, "plan-threads", "0"));
    EXPECT_FALSE(set_option(options, scope_environment, "plan-threads", "8"))
        << "the limit is the admin's";
}

TEST(Environment, ABadValueIsOneErrorAndTheRestCounts) {
    ::setenv("COMMMAP", "sometimes", 1);
    ::setenv("COMMMAP_SEED", "7", 1);
    Options options;

    const auto errors = read_environment(options);

    ASSERT_EQ(errors.size(), 1U);
    EXPECT_NE(errors[0].message.find("COMMMAP: 'sometimes' is not a mode"), std::string::npos)
        << errors[0].message;
    EXPECT_EQ(options.mode, Mode::off);
    EXPECT_EQ(options.seed, 7U);
    ::unsetenv("COMMMAP");
    ::unsetenv("COMMMAP_SEED");
}

TEST(Plugstack, ReadsNameEqualsValue) {
    Options options;
    const auto errors = read_plugstack_arguments(
        options, {"mode=auto", "cluster=/a b.yaml", "bogus", "threshold=x"});
    EXPECT_EQ(errors.size(), 2U);
    EXPECT_EQ(options.mode, Mode::automatic);
    EXPECT_EQ(options.cluster_file, "/a b.yaml");
}

TEST(ProfileDirectory, FollowsTheXdgRules) {
    Options options;
    ::unsetenv("XDG_CACHE_HOME");
    ::setenv("HOME", "/home/u", 1);
    EXPECT_EQ(profile_directory(options).value(), "/home/u/.cache/commmap");
    ::setenv("XDG_CACHE_HOME", "/cache", 1);
    EXPECT_EQ(profile_directory(options).value(), "/cache/commmap");
    options.profile_dir = "/p";
    EXPECT_EQ(profile_directory(options).value(), "/p");
    options.profile_dir.clear();
    ::unsetenv("XDG_CACHE_HOME");
    ::unsetenv("HOME");
    EXPECT_EQ(profile_directory(options).error().code, Errc::not_found);
}

/// A kept plan answers a question with these; whoever adds an option decides here.
TEST(OptionTable, AnOptionThatChangesAPlanChangesTheQuestion) {
    struct Row {
        const char* name;
        const char* other;  ///< than its default
        bool changes_plans;
    };
    const Row rows[] = {{"mode", "auto", false},
                        {"cluster", "/x.yaml", true},
                        {"profile-dir", "/x", false},
                        {"site-profiles", "/x", false},
                        {"profile-readers", "group", false},
                        {"tag", "x", false},
                        {"threshold", "7", true},
                        {"explore", "7", false},
                        {"count-off", "1", false},
                        {"history", "mpi", false},
                        {"seed", "7", true},
                        {"rank0", "free", true},
                        {"keep", "blocks", true},
                        {"inside", "collectives", true},
                        {"inside-table", "/x.yaml", true},
                        {"plan-cache", "off", false},
                        {"plan-seconds", "7", false},
                        {"plan-memory", "777", false},
                        {"plan-threads", "7", false},
                        {"collectives", "mpich4", true},
                        {"mpi", "mpich", false},
                        {"profile-ranks", "7", false},
                        {"program", "/x", false},
                        {"hooks", "/x", false},
                        {"disabled", "1", false},
                        {"verbose", "1", false}};
    std::set<std::string_view> known;
    for (const Row& row : rows) known.insert(row.name);
    for (const OptionSpec& spec : option_table())
        EXPECT_TRUE(known.contains(spec.name)) << spec.name << ": does a plan depend on it?";
    EXPECT_EQ(known.size(), option_table().size());
    const auto before = options_of_plan(Options());
    for (const Row& row : rows) {
        Options options;
        const auto spec = std::find_if(option_table().begin(), option_table().end(),
                                       [&](const OptionSpec& one) { return one.name == row.name; });
        ASSERT_NE(spec, option_table().end()) << row.name;
        ASSERT_TRUE(spec->set(options, row.other)) << row.name;
        EXPECT_EQ(options_of_plan(options) != before, row.changes_plans) << row.name;
    }
}

/// Values that are set again from the planner's arguments are the values that the plugin has.
TEST(OptionTable, ThePlannerIsGivenTheValuesOfItsRows) {
    Options options;
    for (const auto& [name, value] : {std::pair{"cluster", "/x.yaml"},
                                      {"profile-dir", "/x"},
                                      {"site-profiles", "/y"},
                                      {"profile-readers", "group"},
                                      {"tag", "x"},
                                      {"threshold", "7.25"},
                                      {"explore", "0.5"},
                                      {"history", "mpi"},
                                      {"seed", "18446744073709551615"},
                                      {"rank0", "free"},
                                      {"keep", "blocks"},
                                      {"inside", "collectives"},
                                      {"inside-table", "/x.yaml"},
                                      {"plan-cache", "off"},
                                      {"plan-threads", "7"},
                                      {"collectives", "mpich4"}})
        ASSERT_TRUE(set_option(options, scope_cli, name, value)) << name;
    const std::vector<std::string> arguments = planner_arguments(options);
    Options read;
    for (std::size_t i = 0; i + 1 < arguments.size(); i += 2)
        ASSERT_TRUE(set_option(read, scope_cli, arguments[i].substr(2), arguments[i + 1]))
            << arguments[i];
    EXPECT_EQ(planner_arguments(read), arguments);
    for (const OptionSpec& spec : option_table()) {
        if (spec.for_planner != nullptr) {
            EXPECT_EQ(spec.for_planner(read), spec.for_planner(options)) << spec.name;
        }
        EXPECT_TRUE(spec.for_planner != nullptr || !spec.changes_plan) << spec.name;
    }
    EXPECT_EQ(read.threshold_percent, 7.25);
}

TEST(OptionTable, ThePlannersArgumentsAreInItsPage) {
    const std::string protocol = page("docs/formats/planner-protocol.md");
    for (const OptionSpec& spec : option_table()) {
        if (spec.for_planner == nullptr) continue;
        std::string escaped;  // a table's cells are divided by '|'
        for (const char c : std::string(spec.value))
            escaped += c == '|' ? "\\|" : std::string(1, c);
        const std::string wanted = "| `--" + std::string(spec.name) + " " + escaped + "` | " +
                                   std::string(spec.help) + " |\n";
        EXPECT_NE(protocol.find(wanted), std::string::npos) << wanted;
    }
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
    return text;
}

/// Returns the part of a text that begins with one text and ends before another; "" without them.
std::string part_of(const std::string& text, const std::string& first, std::string_view next) {
    const std::size_t begin = text.find(first);
    if (begin == std::string::npos) return "";
    return text.substr(begin, text.find(next, begin + first.size()) - begin);
}

/// Returns the default in an option's row of admin.md.
std::string default_of_admins(const std::string& admin, const std::string& name) {
    std::string row = part_of(admin, "| `" + name + "` | ", "\n");
    for (int cell = 0; cell < 2; ++cell) row.erase(0, row.find(" | ") + 3);
    return replaced(row.substr(0, row.find(" | ")), "`", "");
}

/// Returns the settings of commmap(7) in lines of "name text", without markup.
std::string settings_of_manual() {
    std::string text = part_of(page("docs/man/commmap.7"), ".SH SETTINGS\n", ".SH FILES\n");
    for (const char* const markup : {"\n.B ", "\n.BR ", "\n"}) text = replaced(text, markup, " ");
    text = replaced(text, " .TP ", "\n");
    for (const char* const markup : {"\\fB", "\\fR", "\""}) text = replaced(text, markup, "");
    return replaced(text, "\\-", "-") + '\n';
}

/// A row that no page mentions is an option that no user finds.
TEST(OptionTable, EveryRowIsInWhatUsersAndAdminsRead) {
    const std::string admin = page("docs/admin/admin.md");
    const std::string manual = settings_of_manual();
    std::string plugstack = page("etc/commmap.conf.in");
    plugstack = replaced(plugstack, "@program@", "the installed bin/commmap");
    plugstack = replaced(plugstack, "@library_dir@", "the installed lib/commmap");
    for (const OptionSpec& spec : option_table()) {
        const std::string name(spec.name);
        const std::string by_default(spec.default_text);
        EXPECT_EQ(default_of_admins(admin, name), by_default) << name;
        const std::string entry = part_of(manual, "\n" + name + " ", "\n");
        EXPECT_TRUE(entry.find("; " + by_default + ".") != std::string::npos ||
                    entry.find(by_default + " (default)") != std::string::npos)
            << name << ": " << entry;
        const std::string shipped = part_of(plugstack, "\n#   " + name + "=", "\n");
        EXPECT_EQ(!shipped.empty(), (spec.scopes & scope_plugstack) != 0) << name;
        EXPECT_TRUE(shipped.empty() || shipped.ends_with("(" + by_default + ")")) << shipped;
    }
}

}  // namespace
}  // namespace commmap
