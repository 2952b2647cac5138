// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/plan/plan_search.hpp"

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace commmap::cli {

using nlohmann::json;

namespace {

/// Converts a number, and throws if the type cannot hold it. json would convert such a number
/// wrongly.
template <class Number>
Number number_of(const json& value) {
    const auto number = value.is_number_unsigned() ? value.get<std::uint64_t>() : UINT64_MAX;
    if (number > std::numeric_limits<Number>::max())
        throw json::out_of_range::create(406, "no such number", &value);
    return static_cast<Number>(number);
}

}  // namespace

std::string text_of_search(const Plan& plan, unsigned times_continued) {
    json tried = json::array();
    for (std::size_t i = 1; i < plan.candidates.size(); ++i) {  // candidate 0 is Slurm's own
        const Candidate& candidate = plan.candidates[i];
        tried.push_back({{"name", candidate.name},
                         {"cut_short", candidate.cut_short},
                         {"linear_instead", candidate.linear_instead},
                         {"pus", candidate.pu_of_rank}});
    }
    std::string text;
    json::to_cbor(
        {{"times_continued", times_continued}, {"notes", plan.notes}, {"tried", std::move(tried)}},
        text);
    return text;
}

std::optional<EarlierPlan> search_of_text(std::string_view text) {
    try {
        const json document = json::from_cbor(text);
        EarlierPlan plan;
        plan.times_continued = number_of<unsigned>(document.at("times_continued"));
        plan.notes = document.at("notes").get<std::vector<std::string>>();
        for (const json& one : document.at("tried")) {
            EarlierPlan::Tried& tried = plan.tried.emplace_back();
            tried.name = one.at("name").get<std::string>();
            tried.cut_short = one.at("cut_short").get<bool>();
            tried.linear_instead = one.value("linear_instead", false);
            for (const json& pu : one.at("pus")) tried.pu_of_rank.push_back(number_of<PuId>(pu));
        }
        return plan;
    } catch (const json::exception&) {
        return std::nullopt;
    }
}

std::optional<EarlierPlan> placements_of_text(std::string_view text) {
    auto earlier = search_of_text(text);
    if (!earlier) return std::nullopt;
    for (EarlierPlan::Tried& tried : earlier->tried) {
        tried.name += ", earlier";  // two "earlier" keep the names apart from each other
        tried.cut_short = false;
    }
    earlier->notes.clear();
    return earlier;
}

}  // namespace commmap::cli
