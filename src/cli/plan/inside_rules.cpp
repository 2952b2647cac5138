// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/plan/inside_rules.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/inside/choices.hpp"
#include "core/plan_reply/plan_reply.hpp"

namespace commmap::cli {
namespace {

constexpr const char* calls_stay_native = "collectives stay native: ";

std::vector<std::uint32_t> nodes_of(const Hct& hct, Placement placement) {
    std::vector<std::uint32_t> nodes;
    nodes.reserve(placement.size());
    for (const PuId pu : placement) nodes.push_back(hct.pu(pu).node);
    return nodes;
}

/// One line for each rule: from which bytes on, how, and what that gained when it was measured.
std::string line_of(const inside::ChosenRule& chosen) {
    const inside::Rule& rule = chosen.rule;
    std::string calls = fmt::format("inside: {} from {} B on: {}", collective_name(rule.op),
                                    rule.from_bytes, inside::text_of(rule.op, rule.algorithm));
    if (rule.algorithm.kind == inside::AlgorithmKind::native) return calls;
    return calls + fmt::format(", measured {:.2f} x as fast as native (at least {:.2f} x)",
                               chosen.gain, chosen.least_gain);
}

}  // namespace

InsideRulesMaker::InsideRulesMaker(const Options& options) {
    if (options.inside != Inside::collectives) return;
    auto times = inside::read_collective_times(inside_table_of(options));
    if (times) {
        times_ = std::move(times).value();
    } else {
        why_native_ = calls_stay_native + times.error().message;
        if (times.error().code == Errc::not_found)
            why_native_ += "; docs/user/inside.md says what it needs";
    }
}

InsideRules InsideRulesMaker::make(const Hct& hct, Placement placement,
                                   std::string_view library) const {
    InsideRules made;
    if (!times_) return made;
    const auto stay_native = [&](const std::string& why) {
        made.rules.clear();
        made.chosen.clear();
        made.lines = {calls_stay_native + why};
        return made;
    };
    if (!library.empty() && !inside::is_of_library(times_->library, library))
        return stay_native("the profile is of another MPI library than " + times_->library);
    auto chosen = inside::choose_rules(*times_, inside::layout_of(nodes_of(hct, placement)));
    if (!chosen) return stay_native(chosen.error().message);
    made.chosen = std::move(chosen).value();
    std::vector<inside::Rule> rules;
    for (const inside::ChosenRule& one : made.chosen) {
        made.lines.push_back(line_of(one));
        const bool goes_on = !rules.empty() && rules.back().op == one.rule.op &&
                             rules.back().algorithm == one.rule.algorithm;
        if (!goes_on) rules.push_back(one.rule);
    }
    if (rules.empty()) return stay_native("no other algorithm was measured to be faster");
    made.rules = inside::Choices::text_of(rules, times_->library);
    if (made.rules.size() > most_inside_letters) return stay_native("there are too many rules");
    return made;
}

TimesFile times_file(const Options& options) {
    std::string path = inside_table_of(options);
    std::error_code error;
    const bool can_be_read =
        std::filesystem::is_regular_file(path, error) &&
        std::filesystem::file_size(path, error) <= inside::most_bytes_of_times && !error &&
        ::access(path.c_str(), R_OK) == 0;
    if (!can_be_read) return {"", "no times of collectives"};
    return {std::move(path), "times of collectives"};
}

}  // namespace commmap::cli
