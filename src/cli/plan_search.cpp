#include "cli/plan_search.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace commmap::cli {

using nlohmann::json;

std::string text_of_search(const Plan& plan, unsigned times_continued) {
    json tried = json::array();
    for (std::size_t i = 1; i < plan.candidates.size(); ++i) {  // 0 is Slurm's own
        const Candidate& candidate = plan.candidates[i];
        tried.push_back({{"name", candidate.name},
                         {"cut_short", candidate.cut_short},
                         {"pus", candidate.pu_of_rank}});
    }
    std::string text;
    json::to_cbor({{"times_continued", times_continued}, {"tried", std::move(tried)}}, text);
    return text;
}

std::optional<EarlierPlan> search_of_text(std::string_view text) {
    try {
        const json document = json::from_cbor(text);
        EarlierPlan plan;
        plan.times_continued = document.at("times_continued").get<unsigned>();
        for (const json& one : document.at("tried")) {
            plan.tried.push_back({one.at("name").get<std::string>(),
                                  one.at("pus").get<std::vector<PuId>>(),
                                  one.at("cut_short").get<bool>()});
        }
        return plan;
    } catch (const json::exception&) {
        return std::nullopt;
    }
}

}  // namespace commmap::cli
