// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/topology/editing/yaml_places.hpp"

#include <fmt/core.h>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <sstream>
#include <utility>

namespace commmap {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// Goes over blanks, line ends, comments and commas.
std::size_t skip_between(std::string_view text, std::size_t at) {
    while (at < text.size()) {
        if (text[at] == '#' && is_blank(text[at - 1])) {
            at = std::min(text.find('\n', at), text.size());
        } else if (is_blank(text[at]) || text[at] == ',') {
            ++at;
        } else {
            break;
        }
    }
    return at;
}

}  // namespace

/// Takes yaml-cpp's events into places.
class PlaceCollector : public YAML::EventHandler {
public:
    explicit PlaceCollector(YamlPlaces& places) : places_(places) {
        // yaml-cpp does not count it
        if (places.text_.starts_with(byte_order_mark)) offset_ = byte_order_mark.size();
    }
    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        add(YamlPlaces::Kind::null, mark).marked = anchor != 0;
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        YamlPlaces::Place& alias = add(YamlPlaces::Kind::alias, mark);
        alias.marked = true;
        alias.scalar = std::to_string(anchor);
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        YamlPlaces::Place& scalar = add(YamlPlaces::Kind::scalar, mark);
        scalar.marked = is_marked(tag, anchor);
        scalar.scalar = value;
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value style) override {
        open(YamlPlaces::Kind::list, mark, is_marked(tag, anchor), style);
    }
    void OnSequenceEnd() override { open_.pop_back(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value style) override {
        open(YamlPlaces::Kind::map, mark, is_marked(tag, anchor), style);
    }
    void OnMapEnd() override { open_.pop_back(); }

private:
    /// yaml-cpp gives "?" to values without a tag, and "!" to quoted ones.
    static bool is_marked(const std::string& tag, YAML::anchor_t anchor) {
        return anchor != 0 || !(tag.empty() || tag == "?" || tag == "!");
    }

    YamlPlaces::Place& add(YamlPlaces::Kind kind, const YAML::Mark& mark) {
        const YamlPlaces::Index index = places_.places_.size();
        YamlPlaces::Place& place = places_.places_.emplace_back();
        place.kind = kind;
        place.begin = static_cast<std::size_t>(std::max(mark.pos, 0)) + offset_;
        if (!open_.empty()) {
            YamlPlaces::Place& parent = places_.places_[open_.back()];
            parent.children.push_back(index);
            place.in_flow = parent.flow || parent.in_flow;
        }
        return place;
    }

    void open(YamlPlaces::Kind kind, const YAML::Mark& mark, bool marked,
              YAML::EmitterStyle::value style) {
        YamlPlaces::Place& place = add(kind, mark);
        place.marked = marked;
        place.flow = style == YAML::EmitterStyle::Flow;
        open_.push_back(places_.places_.size() - 1);
    }

    YamlPlaces& places_;
    std::size_t offset_ = 0;
    std::vector<YamlPlaces::Index> open_;
};

Result<YamlPlaces> YamlPlaces::read(std::string_view text) {
    YamlPlaces places(text);
    try {
        std::istringstream in{std::string(text)};
        YAML::Parser parser(in);
        PlaceCollector collector(places);
        parser.HandleNextDocument(collector);
    } catch (const YAML::Exception& e) {
        return Error{Errc::internal, fmt::format("not YAML any more: {}", e.what())};
    }
    if (places.places_.empty()) return Error{Errc::internal, "no YAML document any more"};
    // yaml-cpp counts the bytes of UTF-8. In other encodings its places are not those of the text.
    const bool inside = std::all_of(places.places_.begin(), places.places_.end(),
                                    [&](const Place& place) { return place.begin <= text.size(); });
    if (!inside) return Error{Errc::internal, "the text is not UTF-8"};
    return places;
}

std::optional<YamlPlaces::Entry> YamlPlaces::find(Index map, std::string_view key) const {
    const Place& place = places_[map];
    if (place.kind != Kind::map) return std::nullopt;
    for (std::size_t i = 0; i + 1 < place.children.size(); i += 2) {
        const Entry entry{place.children[i], place.children[i + 1]};
        if (places_[entry.key].kind == Kind::scalar && places_[entry.key].scalar == key) {
            return entry;
        }
    }
    return std::nullopt;
}

std::optional<std::size_t> YamlPlaces::end(Index index) const {
    const Place& place = places_[index];
    switch (place.kind) {
        case Kind::scalar:
            return end_of_scalar(place);
        case Kind::map:
        case Kind::list:
            if (place.flow) return end_of_flow(place);
            return place.children.empty() ? std::nullopt : end(place.children.back());
        case Kind::alias:
        case Kind::null:
            break;
    }
    return std::nullopt;
}

std::optional<std::size_t> YamlPlaces::end_of_scalar(const Place& place) const {
    if (place.begin >= text_.size()) return std::nullopt;
    const std::string_view line =
        text_.substr(place.begin, text_.find('\n', place.begin) - place.begin);
    const char quote = line.front();
    if (quote == '"' || quote == '\'') {
        std::size_t at = 1;
        while (at < line.size() && line[at] != quote)
            at += quote == '"' && line[at] == '\\' ? 2 : 1;
        // '' is a quote in a text of single quotes
        while (quote == '\'' && at + 1 < line.size() && line[at + 1] == quote) {
            at = std::min(line.find(quote, at + 2), line.size());
        }
        if (at >= line.size()) return std::nullopt;
        return place.begin + at + 1;
    }
    // A text without quotes is its own value; what differs goes over several lines, or has a mark.
    if (place.scalar.empty() || !line.starts_with(place.scalar)) return std::nullopt;
    return place.begin + place.scalar.size();
}

std::optional<std::size_t> YamlPlaces::end_of_flow(const Place& place) const {
    std::size_t at = place.begin + 1;
    if (!place.children.empty()) {
        const auto last = end(place.children.back());
        if (!last) return std::nullopt;
        at = *last;
    }
    at = skip_between(text_, at);
    const char closing = place.kind == Kind::map ? '}' : ']';
    if (at >= text_.size() || text_[at] != closing) return std::nullopt;
    return at + 1;
}

std::size_t YamlPlaces::line_begin(std::size_t position) const {
    if (position == 0) return 0;
    const std::size_t before = text_.rfind('\n', position - 1);
    return before == std::string_view::npos ? 0 : before + 1;
}

std::size_t YamlPlaces::next_line(std::size_t position) const {
    const std::size_t line_end = text_.find('\n', position);
    return line_end == std::string_view::npos ? text_.size() : line_end + 1;
}

std::string YamlPlaces::place_text(std::size_t position) const {
    const auto head = text_.substr(0, position);
    return fmt::format("{}:{}", 1 + std::count(head.begin(), head.end(), '\n'),
                       position - line_begin(position) + 1);
}

}  // namespace commmap
