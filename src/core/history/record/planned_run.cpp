// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/history/record/planned_run.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace commmap {
namespace {

constexpr std::array all_ways = {LaunchedAs::placed, LaunchedAs::kept,     LaunchedAs::profiled,
                                 LaunchedAs::off,    LaunchedAs::explored, LaunchedAs::reversed};

bool is_visible(char c) { return c > ' ' && c <= '~'; }

template <class Number, class... Base>
std::string text_of(Number number, Base... base) {
    std::array<char, 64> text{};
    const auto [end, error] =
        std::to_chars(text.data(), text.data() + text.size(), number, base...);
    return {text.data(), error == std::errc{} ? end : text.data()};
}

/// Takes words off the front of a line.
class Line {
public:
    explicit Line(std::string_view text) : rest_(text) {}

    std::string_view word() {
        const auto end = std::min(rest_.find(' '), rest_.size());
        const std::string_view word = rest_.substr(0, end);
        rest_.remove_prefix(std::min(end + 1, rest_.size()));
        return word;
    }
    template <class Number, class... Base>
    bool number(Number& number, Base... base) {
        const std::string_view text = word();
        const auto [end, error] =
            std::from_chars(text.data(), text.data() + text.size(), number, base...);
        return error == std::errc{} && end == text.data() + text.size();
    }
    bool time(double& seconds) {
        return number(seconds) && std::isfinite(seconds) && seconds >= 0.0;
    }
    [[nodiscard]] bool at_end() const { return rest_.empty(); }

private:
    std::string_view rest_;
};

}  // namespace

std::string format_planned_run(const PlannedRun& run) {
    std::string program = run.program;
    if (program.size() > most_program_bytes) program.erase(0, program.size() - most_program_bytes);
    std::replace_if(
        program.begin(), program.end(), [](char c) { return !is_visible(c); }, '_');
    if (program.empty()) program = "_";
    std::string text(name_of(run.launched_as));
    for (const std::string& word :
         {text_of(run.basis, 16), text_of(run.placement, 16), text_of(run.predicted_s),
          text_of(run.default_s), text_of(run.error), program, run.application_id})
        (text += ' ') += word;
    return text;
}

std::optional<PlannedRun> parse_planned_run(std::string_view text) {
    PlannedRun run;
    Line line(text);
    const std::string_view way = line.word();
    const auto known = std::find_if(all_ways.begin(), all_ways.end(),
                                    [&](LaunchedAs one) { return name_of(one) == way; });
    if (known == all_ways.end()) return std::nullopt;
    run.launched_as = *known;
    if (!line.number(run.basis, 16) || !line.number(run.placement, 16) ||
        !line.time(run.predicted_s) || !line.time(run.default_s) || !line.time(run.error))
        return std::nullopt;
    run.program = line.word();
    run.application_id = line.word();
    const bool is_right =
        line.at_end() && !run.program.empty() && !run.application_id.empty() &&
        run.program.size() <= most_program_bytes &&
        std::all_of(text.begin(), text.end(), [](char c) { return c == ' ' || is_visible(c); });
    if (!is_right) return std::nullopt;
    return run;
}

}  // namespace commmap
