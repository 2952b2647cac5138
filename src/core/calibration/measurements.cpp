// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/measurements.hpp"

#include <iterator>
#include <utility>

#include "core/text/one_line.hpp"
#include "core/text/text_lines.hpp"

namespace commmap {
namespace {

constexpr std::string_view first_line = "commmap-measurements 1";
constexpr std::string_view last_line = "complete";
constexpr std::string_view series_word = "series ";
constexpr std::size_t longest_value = 80;

/// Returns the rest of a line that begins with a word; empty when it does not.
std::string value_of(std::string_view line, std::string_view word) {
    if (!line.starts_with(word) || !line.substr(word.size()).starts_with(' ')) return {};
    return one_line(line.substr(word.size() + 1), longest_value);
}

}  // namespace

std::string write_measurements(const Measurements& measurements) {
    std::string text = std::string(first_line) + '\n';
    text += "date " + measurements.date + '\n';
    if (!measurements.job.empty()) text += "job " + measurements.job + '\n';
    text += "nodes";
    for (const std::string& node : measurements.nodes) text += ' ' + node;
    text += '\n';
    if (!measurements.library.empty()) text += write_library(measurements.library);
    for (const NamedSeries& series : measurements.series) {
        text += std::string(series_word) + write_series({series});
    }
    for (const Measured& measured : measurements.measured) text += write_measured(measured);
    if (measurements.complete) text += std::string(last_line) + '\n';
    return text;
}

Result<Measurements> read_measurements(std::string_view name, std::string_view text) {
    Measurements all;
    TextLines lines(name, text);
    if (!lines.next() || lines.line() != first_line) {
        return error_in_line(name, 1,
                             "no measurements of commmap calibrate: the first line must be '" +
                                 std::string(first_line) + "'");
    }
    while (lines.next()) {
        const std::string_view line = lines.line();
        if (all.complete) return lines.error("a line behind the last one, 'complete'");
        if (auto library = read_library(line)) {
            all.library = *std::move(library);
        } else if (auto measured = read_measured(line)) {
            if (measured->series >= all.series.size()) {
                return lines.error("a value of a series that is not listed above");
            }
            all.measured.push_back(*std::move(measured));
        } else if (line.starts_with(series_word)) {
            auto series = read_series(line.substr(series_word.size()));
            if (!series) return lines.error("this series is not understood");
            all.series.insert(all.series.end(), std::make_move_iterator(series.value().begin()),
                              std::make_move_iterator(series.value().end()));
        } else if (std::string date = value_of(line, "date"); !date.empty()) {
            all.date = std::move(date);
        } else if (std::string job = value_of(line, "job"); !job.empty()) {
            all.job = std::move(job);
        } else if (line.starts_with("nodes ")) {
            Words words(line.substr(line.find(' ')));
            for (std::string_view node = words.next(); !node.empty(); node = words.next()) {
                all.nodes.emplace_back(node);
            }
        } else if (line == last_line) {
            all.complete = true;
        } else {
            return lines.error("expected a value, a series or a measurement, not " +
                               quoted_word(line));
        }
    }
    if (all.date.empty() || all.nodes.empty() || all.measured.empty()) {
        return lines.error("no date, no nodes or no measurement: the file is cut off");
    }
    return all;
}

}  // namespace commmap
