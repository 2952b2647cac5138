// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/analyze/peers_analysis.hpp"
#include "cli/analyze/peers_json.hpp"
#include "cli/analyze/peers_text.hpp"
#include "cli/command.hpp"
#include "cli/profile_name.hpp"
#include "core/base/number.hpp"
#include "core/text/units.hpp"

namespace commmap::cli {
namespace {

struct PeersArguments {
    std::string profile;
    std::optional<std::size_t> most;
    std::string small = std::to_string(default_small_bytes);
    std::optional<std::string> other;
    std::optional<std::string> phase;
    std::string connection_s;
    std::string saved_s;
    std::string format = "text";
};

/// Reads a length: "16384", or "16 KiB".
Result<std::uint64_t> parse_small(const std::string& text) {
    if (const auto number = parse_number(text)) return *number;
    return parse_length_bytes(text);
}

/// Reads a number of seconds above 0.
std::optional<double> parse_seconds(const std::string& text) {
    double seconds = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(seconds) ||
        seconds <= 0.0)
        return std::nullopt;
    return seconds;
}

// CLI11's way: these return an empty text, or why the value is refused
std::string refuse_small(const std::string& text) {
    const auto bytes = parse_small(text);
    if (!bytes) return bytes.error().message;
    const auto limit = small_limit_bytes(bytes.value());
    return limit ? std::string() : limit.error().message;
}
std::string refuse_seconds(const std::string& text) {
    return parse_seconds(text) ? std::string() : "'" + text + "' is no number of seconds above 0";
}

/// Returns the limit of small messages, and prints a note where it is not the one that was given.
std::uint64_t limit_of(const PeersArguments& arguments) {
    const std::uint64_t asked = parse_small(arguments.small).value();
    const std::uint64_t limit = small_limit_bytes(asked).value();
    if (limit != asked)
        print_notes(
            {fmt::format("a profile counts messages by ranges of sizes: those of at most "
                         "{} B count as small, not {}",
                         limit, asked)});
    return limit;
}

Status analyze(const PeersArguments& arguments, const Options& options) {
    const auto profile = load_named_profile(arguments.profile, options);
    if (!profile) return profile.error();
    std::optional<Profile> other;
    if (arguments.other) {
        auto loaded = load_named_profile(*arguments.other, options);
        if (!loaded) return loaded.error();
        other = std::move(loaded).value();
    }
    if (!profile.value().missing.empty())
        print_notes({fmt::format("{} ranks of '{}' recorded nothing: their messages are missing",
                                 profile.value().missing.size(), arguments.profile)});
    if (profile.value().phases_lost)
        print_notes(
            {fmt::format("the phases of '{}' are not known: a rank ran out of memory for "
                         "them",
                         arguments.profile)});
    PeersQuestion question = {.profile_name = arguments.profile,
                              .small_bytes = limit_of(arguments),
                              .phase = arguments.phase,
                              .most = arguments.most,
                              .other_name = arguments.other,
                              .costs = {}};
    if (!arguments.connection_s.empty())
        question.costs = {parse_seconds(arguments.connection_s).value(),
                          parse_seconds(arguments.saved_s).value()};
    const auto analysis = analyze_peers(profile.value(), other ? &*other : nullptr, question);
    if (!analysis) return analysis.error();
    if (arguments.format == "json") return write_output("", peers_json(analysis.value()));
    if (arguments.format == "csv") return write_output("", peers_csv(analysis.value()));
    return write_output("", peers_text(analysis.value()));
}

}  // namespace

void add_analyze_command(CLI::App& app, Context& context) {
    CLI::App* command =
        app.add_subcommand("analyze", "what a profile says about later runs: peers");
    command->require_subcommand(1);
    auto arguments = std::make_shared<PeersArguments>();
    CLI::App* peers = command->add_subcommand(
        "peers", "which peers of each rank deserve a connection of their own, by phase");
    add_table_options(*peers, context, {"profile-dir", "site-profiles", "tag"});
    peers
        ->add_option("FILE", arguments->profile,
                     "a path, how its name in the profile directory begins, or the recorded "
                     "program's name")
        ->required();
    peers
        ->add_option("--max-peers", arguments->most,
                     "connections that a rank may have [as the coverage suggests]")
        ->type_name("K")
        ->check(CLI::Range(std::size_t{1}, most_connections));
    peers
        ->add_option("--small", arguments->small,
                     "messages of at most this length are small: 16384, or '16 KiB' [16384]")
        ->type_name("BYTES")
        ->check(refuse_small);
    peers
        ->add_option("--schedule-from", arguments->other,
                     "also the schedule of this profile: of another input, on as many ranks")
        ->type_name("FILE");
    peers->add_option("--phase", arguments->phase, "only this phase [all]")->type_name("NAME");
    CLI::Option* connection =
        peers
            ->add_option("--connection-cost", arguments->connection_s,
                         "what it costs to make a connection, and to close it later")
            ->type_name("SECONDS")
            ->check(refuse_seconds);
    CLI::Option* saved = peers
                             ->add_option("--saved-per-message", arguments->saved_s,
                                          "what a message saves that a connection carries")
                             ->type_name("SECONDS")
                             ->check(refuse_seconds);
    connection->needs(saved);
    saved->needs(connection);
    CLI::Option* format = peers->add_option("--format", arguments->format, "[text]")
                              ->type_name("text|csv|json")
                              ->check(CLI::IsMember({"text", "csv", "json"}));
    context.words[format] = {"text", "csv", "json"};
    peers->callback([&context, arguments] {
        context.action = [&context, arguments] { return analyze(*arguments, context.options); };
    });
}

}  // namespace commmap::cli
