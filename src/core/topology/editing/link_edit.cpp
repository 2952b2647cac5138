// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/topology/editing/link_edit.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>

#include "core/text/one_line.hpp"
#include "core/text/units.hpp"
#include "core/topology/editing/link_text.hpp"
#include "core/topology/editing/yaml_places.hpp"

namespace commmap {
namespace {

using namespace std::string_view_literals;
using Index = YamlPlaces::Index;
using Kind = YamlPlaces::Kind;

constexpr std::array directions{"out"sv, "in"sv};

/// A key of a link with its new text in both directions.
struct Value {
    std::string_view key;
    std::array<std::string, directions.size()> of_direction;  ///< out, in
    const BandwidthCurve* curve = nullptr;                    ///< of key `bandwidth`
    bool is_default = false;  ///< a link without the key has this value

    [[nodiscard]] bool same() const { return of_direction[0] == of_direction[1]; }
};

std::vector<Value> values_of(const LinkNumbers& numbers) {
    const std::string latency = format_seconds(numbers.latency_s);
    const std::string bandwidth = curve_text(numbers.bandwidth);
    std::vector<Value> values{{"latency", {latency, latency}, nullptr}};
    if (numbers.gap_s > 0) {
        const std::string gap = format_seconds(numbers.gap_s);
        values.push_back({"gap", {gap, gap}, nullptr});
    }
    values.push_back({"bandwidth", {bandwidth, bandwidth}, &numbers.bandwidth});
    const char* duplex = numbers.half_duplex ? "half" : "full";
    values.push_back({"duplex", {duplex, duplex}, nullptr, !numbers.half_duplex});
    // The maximum is the last, because take_apart() needs to know what else the directions get.
    values.push_back(
        {"max_bandwidth",
         {rate_text(numbers.max_out_bytes_per_s), rate_text(numbers.max_in_bytes_per_s)},
         nullptr});
    return values;
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
    std::string text;
    for (const std::string& part : parts) {
        if (!text.empty()) text += separator;
        text += part;
    }
    return text;
}

/// "link 'port'", "the link of switch 's0'".
std::string name_of(const LinkEdit& edit) {
    const std::string name = quoted(edit.path[1]);
    if (edit.path[0] == "links") return "link " + name;
    return (edit.path[0] == "switches" ? "the link of switch " : "the link of class ") + name;
}

/// The comments inside of a value, each from its '#' on.
std::vector<std::string> comments_in(std::string_view value) {
    std::vector<std::string> comments;
    char quote = '\0';
    for (std::size_t at = 0; at < value.size(); ++at) {
        const char c = value[at];
        if (quote != '\0') {
            if (quote == '"' && c == '\\') ++at;
            if (c == quote) quote = '\0';
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '#' && at > 0 && " \t\n"sv.find(value[at - 1]) != std::string_view::npos) {
            std::size_t end = std::min(value.find('\n', at), value.size());
            const std::size_t next = end;
            while (end > at && " \t\r"sv.find(value[end - 1]) != std::string_view::npos) --end;
            comments.emplace_back(value.substr(at, end - at));
            at = next;
        }
    }
    return comments;
}

class LinkEditor {
public:
    LinkEditor(std::string_view text, const std::string& name, const YamlPlaces& places)
        : text_(text), name_(one_line(name, 200)), places_(places) {
        const std::size_t first = text.find('\n');
        if (first != std::string_view::npos && first > 0 && text[first - 1] == '\r') eol_ = "\r\n";
    }

    /// Looks for the links, and takes note of all changes.
    Status edit(std::span<const LinkEdit> edits) {
        // Changes at one place keep the order in which they are noted, which must be the file's.
        std::vector<std::pair<YamlPlaces::Entry, const LinkEdit*>> found;
        std::vector<const LinkEdit*> missing;
        for (const LinkEdit& edit : edits) {
            const auto entry = find(edit);
            if (!entry) return entry.error();
            if (entry.value()) {
                found.emplace_back(*entry.value(), &edit);
            } else {
                missing.push_back(&edit);
            }
        }
        std::sort(found.begin(), found.end(), [&](const auto& a, const auto& b) {
            return places_[a.first.key].begin < places_[b.first.key].begin;
        });
        for (const auto& [entry, edit] : found) {
            if (Status done = edit_link(entry, *edit); !done) return done;
        }
        return missing.empty() ? Status(Ok{}) : append(missing);
    }

    /// Takes note of the changes of switches, which come behind those of their links.
    Status edit(std::span<const SwitchEdit> edits) {
        for (const SwitchEdit& edit : edits) {
            if (Status done = edit_switch(edit); !done) return done;
        }
        return Ok{};
    }

    /// nullopt: changes overlap, because links share a line.
    [[nodiscard]] std::optional<std::string> result() {
        // Keys that are added at the end of a map go before comments on what comes next.
        std::stable_sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) {
            return std::pair(a.begin, a.of_comment) < std::pair(b.begin, b.of_comment);
        });
        std::string text;
        std::size_t at = 0;
        for (const Change& change : changes_) {
            if (change.begin < at) return std::nullopt;
            text += text_.substr(at, change.begin - at);
            text += change.text;
            at = change.end;
        }
        text += text_.substr(at);
        return text;
    }

    [[nodiscard]] Error error(std::size_t position, const std::string& what) const {
        return {Errc::invalid_input,
                fmt::format("{}:{}: {}", name_, places_.place_text(position), one_line(what, 600))};
    }

private:
    /// Bytes that other bytes take the place of.
    struct Change {
        std::size_t begin;
        std::size_t end;
        std::string text;
        bool of_comment;
    };

    [[nodiscard]] Error by_hand(Index place, const std::string& what) const {
        return error(places_[place].begin, what + ": write its numbers by hand");
    }

    /// Refuses what stands for more than the text that is seen there.
    [[nodiscard]] Status unmarked(Index place, const std::string& what) const {
        if (places_[place].kind == Kind::alias) return by_hand(place, what + " is an alias");
        if (places_[place].marked) return by_hand(place, what + " has an anchor or a tag");
        return Ok{};
    }

    [[nodiscard]] Result<std::size_t> end(Index place, const std::string& what) const {
        const auto end = places_.end(place);
        if (end) return *end;
        if (Status plain = unmarked(place, what); !plain) return plain.error();
        return by_hand(place, what + " is written over several lines");
    }

    /// nullopt: a link that the section `links` lacks.
    Result<std::optional<YamlPlaces::Entry>> find(const LinkEdit& edit) const {
        Index map = places_.root();
        for (std::size_t step = 0;; ++step) {
            const std::string what = step == 0   ? "the file"
                                     : step == 1 ? quoted(edit.path[0])
                                                 : quoted(edit.path[1]);
            if (Status plain = unmarked(map, what); !plain) return plain.error();
            const auto entry = places_.find(map, edit.path[step]);
            if (!entry && step == 1 && edit.path.size() == 2) {
                return std::optional<YamlPlaces::Entry>{};
            }
            if (!entry) return by_hand(map, fmt::format("{} is not found here", name_of(edit)));
            if (step + 1 < edit.path.size()) {
                map = entry->value;
                continue;
            }
            if (Status plain = unmarked(entry->value, name_of(edit)); !plain) return plain.error();
            if (places_[entry->value].kind != Kind::map) {
                return by_hand(entry->value, name_of(edit) + " is no map");
            }
            return entry;
        }
    }

    Status edit_link(const YamlPlaces::Entry& entry, const LinkEdit& edit) {
        const std::string what = name_of(edit);
        const Index link = entry.value;
        std::array<std::optional<YamlPlaces::Entry>, directions.size()> maps;
        for (std::size_t d = 0; d < maps.size(); ++d) {
            maps.at(d) = places_.find(link, directions.at(d));
            if (!maps.at(d)) continue;
            if (Status plain = unmarked(maps.at(d)->value, what); !plain) return plain;
            if (edit.numbers.half_duplex) {
                return by_hand(maps.at(d)->key, fmt::format("{} is half duplex, and has '{}' here",
                                                            what, directions.at(d)));
            }
        }
        std::vector<std::string> new_keys;  // at the end of the link
        std::array<std::vector<std::string>, directions.size()> new_in_map;
        for (const Value& value : values_of(edit.numbers)) {
            if (const auto both = places_.find(link, value.key)) {
                Status done = value.same()
                                  ? replace(both->value, value.of_direction[0], value.curve, what)
                                  : take_apart(*both, value, maps, new_in_map, what);
                if (!done) return done;
                continue;
            }
            if (value.is_default) continue;
            bool anywhere = false;
            for (const auto& map : maps) {
                anywhere = anywhere || (map && places_.find(map->value, value.key));
            }
            if (!anywhere && value.same()) {
                new_keys.push_back(fmt::format("{}: {}", value.key, value.of_direction[0]));
                continue;
            }
            for (std::size_t d = 0; d < maps.size(); ++d) {
                const auto there = maps.at(d) ? places_.find(maps.at(d)->value, value.key)
                                              : std::optional<YamlPlaces::Entry>{};
                if (!there) {
                    new_in_map.at(d).push_back(
                        fmt::format("{}: {}", value.key, value.of_direction.at(d)));
                } else if (Status done =
                               replace(there->value, value.of_direction.at(d), value.curve, what);
                           !done) {
                    return done;
                }
            }
        }
        bool gap_shortened = false;
        for (const Index map : maps_with_gap(link, edit, maps)) {
            if (Status done = shorten_gap(map, link, edit, gap_shortened, what); !done) return done;
        }
        if (const auto rate = places_.find(link, "rate")) {
            if (Status done = replace(rate->value, "payload", nullptr, what); !done) return done;
        } else {
            new_keys.emplace_back("rate: payload");
        }
        for (std::size_t d = 0; d < maps.size(); ++d) {
            const std::vector<std::string>& keys = new_in_map.at(d);
            if (keys.empty()) continue;
            if (!maps.at(d)) {
                new_keys.push_back(fmt::format("{}: {{{}}}", directions.at(d), joined(keys, ", ")));
            } else if (Status done = add(maps.at(d)->value, keys, what); !done) {
                return done;
            }
        }
        if (Status done = add(link, new_keys, what); !done) return done;
        std::vector<std::string> comments = edit.comments;
        if (gap_shortened && !comments.empty()) {
            comments.push_back(mark_of(comments.front()) + "the gap is shortened like the latency");
        }
        comment(places_[entry.key].begin, comments);
        return Ok{};
    }

    Status edit_switch(const SwitchEdit& edit) {
        const std::string what = "switch " + quoted(edit.name);
        Index map = places_.root();
        std::optional<YamlPlaces::Entry> entry;
        for (const std::string& key : {std::string("switches"), edit.name}) {
            if (Status plain = unmarked(map, what); !plain) return plain;
            entry = places_.find(map, key);
            if (!entry) return by_hand(map, what + " is not found here");
            map = entry->value;
        }
        if (Status plain = unmarked(map, what); !plain) return plain;
        const std::string max = rate_text(edit.max_bytes_per_s);
        const auto known = places_.find(map, "max_bandwidth");
        Status done = known ? replace(known->value, max, nullptr, what)
                            : add(map, {"max_bandwidth: " + max}, what);
        if (done) comment(places_[entry->key].begin, edit.comments);
        return done;
    }

    /// Replaces the value of a key.
    Status replace(Index place, const std::string& text, const BandwidthCurve* curve,
                   const std::string& what) {
        if (Status plain = unmarked(place, what); !plain) return plain;
        const auto end = this->end(place, what);
        if (!end) return end.error();
        const YamlPlaces::Place& old = places_[place];
        const std::vector<std::string> comments =
            comments_in(text_.substr(old.begin, end.value() - old.begin));
        std::string indent = eol_ + std::string(column(old.begin), ' ');
        if (old.kind == Kind::map && !old.flow) {
            std::vector<std::string> lines = comments;
            const auto points = curve->points();
            if (points.size() == 1) {
                lines.push_back(text);
            } else {
                for (const BandwidthCurve::Point& point : points) {
                    lines.push_back(fmt::format("{}: {}", length_text(point.length_bytes),
                                                rate_text(point.bandwidth_bytes_per_s)));
                }
            }
            change(old.begin, end.value(), joined(lines, indent));
        } else if (comments.empty()) {
            change(old.begin, end.value(), text);
        } else {
            // a flow map over several lines: a curve, or the only value that takes its place
            const std::string comment = joined(comments, indent);
            change(old.begin, end.value(),
                   text.starts_with('{') ? "{ " + comment + indent + text.substr(1)
                                         : comment + indent + text);
        }
        return Ok{};
    }

    /// Puts one maximum for each direction in the place of one for both.
    Status take_apart(const YamlPlaces::Entry& both, const Value& value,
                      const std::array<std::optional<YamlPlaces::Entry>, directions.size()>& maps,
                      std::array<std::vector<std::string>, directions.size()>& new_in_map,
                      const std::string& what) {
        const auto end = this->end(both.value, what);
        if (!end) return end.error();
        if (Status plain = unmarked(both.value, what); !plain) return plain;
        std::vector<std::string> texts;
        for (std::size_t d = 0; d < maps.size(); ++d) {
            std::vector<std::string>& keys = new_in_map.at(d);
            keys.push_back(fmt::format("{}: {}", value.key, value.of_direction.at(d)));
            if (maps.at(d)) continue;
            // a maximum is the last value of a link: all that its directions lack is known
            texts.push_back(fmt::format("{}: {{{}}}", directions.at(d), joined(keys, ", ")));
            keys.clear();
        }
        if (texts.empty()) {
            return by_hand(both.key, fmt::format("the directions of {} differ, and '{}' stands "
                                                 "beside 'out' and 'in'",
                                                 what, value.key));
        }
        const std::size_t begin = places_[both.key].begin;
        const bool flow = places_[both.key].in_flow;
        change(begin, end.value(),
               joined(texts, flow ? ", " : eol_ + std::string(column(begin), ' ')));
        return Ok{};
    }

    /// Maps with a gap that was not measured.
    [[nodiscard]] std::vector<Index> maps_with_gap(
        Index link, const LinkEdit& edit,
        const std::array<std::optional<YamlPlaces::Entry>, directions.size()>& maps) const {
        std::vector<Index> all;
        if (edit.numbers.gap_s > 0) return all;
        if (places_.find(link, "gap")) all.push_back(link);
        for (const auto& map : maps) {
            if (map && places_.find(map->value, "gap")) all.push_back(map->value);
        }
        return all;
    }

    Status shorten_gap(Index map, Index link, const LinkEdit& edit, bool& shortened,
                       const std::string& what) {
        const Index gap = places_.find(map, "gap")->value;
        if (Status plain = unmarked(gap, what); !plain) return plain;
        const auto gap_ns = parse_time_ns(places_[gap].scalar);
        const auto new_ns = parse_time_ns(format_seconds(edit.numbers.latency_s));
        if (!gap_ns || !new_ns) return by_hand(gap, "the gap of " + what + " is not understood");
        if (gap_ns.value() <= new_ns.value()) return Ok{};
        // The shortest of its old latencies keeps a gap of both directions valid in both.
        double old_ns = 0.0;
        for (const Index at : {map, link}) {
            const auto latency = places_.find(at, "latency");
            if (!latency) continue;
            if (const auto ns = parse_time_ns(places_[latency->value].scalar)) old_ns = ns.value();
            break;
        }
        old_ns = std::max(old_ns, gap_ns.value());
        shortened = true;
        return replace(gap, format_seconds(gap_ns.value() / old_ns * new_ns.value() * 1e-9),
                       nullptr, what);
    }

    /// Adds keys behind the last one of a map.
    Status add(Index map, const std::vector<std::string>& keys, const std::string& what) {
        if (keys.empty()) return Ok{};
        const YamlPlaces::Place& place = places_[map];
        const auto end = this->end(map, what);
        if (!end) return end.error();
        if (place.flow) {
            const bool empty = place.children.empty();
            const auto last = empty ? Result<std::size_t>(place.begin + 1)
                                    : this->end(place.children.back(), what);
            if (!last) return last.error();
            change(last.value(), last.value(), (empty ? "" : ", ") + joined(keys, ", "));
            return Ok{};
        }
        const std::string indent = indent_of(places_[place.children.front()].begin);
        if (indent.size() != column(places_[place.children.front()].begin)) {
            return by_hand(map, what + " does not begin a line");
        }
        std::vector<std::string> lines;
        lines.reserve(keys.size());
        for (const std::string& key : keys) lines.push_back(indent + key);
        insert_lines(places_.next_line(end.value()), lines);
        return Ok{};
    }

    /// Adds links behind the last one.
    Status append(const std::vector<const LinkEdit*>& links) {
        const auto section = places_.find(places_.root(), "links");
        assert(section && "find() has found the section");
        const YamlPlaces::Place& map = places_[section->value];
        const std::string what = "'links'";
        std::vector<std::string> lines;
        std::vector<std::string> in_flow;
        const std::string indent =
            map.flow || map.children.empty() ? "" : indent_of(places_[map.children.front()].begin);
        for (const LinkEdit* link : links) {
            std::vector<std::string> keys;
            for (const Value& value : values_of(link->numbers)) {
                if (value.is_default) continue;
                if (value.same()) {
                    keys.push_back(fmt::format("{}: {}", value.key, value.of_direction[0]));
                    continue;
                }
                for (std::size_t d = 0; d < directions.size(); ++d) {
                    keys.push_back(fmt::format("{}: {{{}: {}}}", directions.at(d), value.key,
                                               value.of_direction.at(d)));
                }
            }
            keys.emplace_back("rate: payload");
            const std::string name = yaml_name(link->path[1]);
            if (map.flow) {
                comment(places_[section->key].begin, link->comments);
                in_flow.push_back(fmt::format("{}: {{{}}}", name, joined(keys, ", ")));
                continue;
            }
            for (const std::string& line : link->comments) {
                lines.push_back(fmt::format("{}# {}", indent, line));
            }
            lines.push_back(fmt::format("{}{}:", indent, name));
            for (const std::string& key : keys) {
                lines.push_back(fmt::format("{}{}{}", indent, indent, key));
            }
        }
        if (map.flow) return add(section->value, in_flow, what);
        if (indent.empty()) return by_hand(section->value, what + " is not indented");
        const auto end = this->end(section->value, what);
        if (!end) return end.error();
        insert_lines(places_.next_line(end.value()), lines);
        return Ok{};
    }

    static std::string mark_of(const std::string& comment) {
        return comment.substr(0, comment.find(": ") + 2);
    }

    /// Puts lines of comment above a line, in the place of those of the calibration before.
    void comment(std::size_t position, const std::vector<std::string>& comments) {
        if (comments.empty()) return;
        const std::string mark = "# " + mark_of(comments.front());
        const std::size_t below = places_.line_begin(position);
        std::size_t at = below;
        std::vector<std::pair<std::size_t, std::size_t>> old;
        for (std::size_t line = below; line > 0;) {
            const std::size_t next = line;
            line = places_.line_begin(line - 1);
            std::string_view content = text_.substr(line, next - line);
            content.remove_prefix(std::min(content.find_first_not_of(" \t"), content.size()));
            if (!content.starts_with('#')) break;
            if (!content.starts_with(mark)) continue;
            old.emplace_back(line, next);
            at = line;
        }
        std::string text;
        for (const std::string& line : comments) text += indent_of(position) + "# " + line + eol_;
        changes_.push_back({at, at, std::move(text), true});
        for (auto one = old.rbegin(); one != old.rend(); ++one) {
            changes_.push_back({one->first, one->second, "", true});
        }
    }

    void insert_lines(std::size_t at, const std::vector<std::string>& lines) {
        std::string text;
        for (const std::string& line : lines) text += line + eol_;
        // The last line of a file may lack its end; the same holds for the new last line then.
        if (at == text_.size() && !text_.ends_with('\n')) {
            text = eol_ + text.substr(0, text.size() - eol_.size());
        }
        change(at, at, std::move(text));
    }

    void change(std::size_t begin, std::size_t end, std::string text) {
        changes_.push_back({begin, end, std::move(text), false});
    }

    [[nodiscard]] std::size_t column(std::size_t position) const {
        return position - places_.line_begin(position);
    }
    /// The blanks that a line begins with.
    [[nodiscard]] std::string indent_of(std::size_t position) const {
        const std::size_t begin = places_.line_begin(position);
        const std::string_view line = text_.substr(begin, position - begin);
        return std::string(line.substr(0, std::min(line.find_first_not_of(' '), line.size())));
    }

    std::string_view text_;
    std::string name_;
    const YamlPlaces& places_;
    std::string eol_ = "\n";
    std::vector<Change> changes_;
};

/// Writes down everything that a file says, but for the values that were changed.
/// @param changed  their paths
void write_down(const YamlPlaces& places, Index index, const std::string& path,
                const std::set<std::string>& changed, std::string& text) {
    const YamlPlaces::Place& place = places[index];
    text += fmt::format("{} {} {} {}:{}\n", path, static_cast<int>(place.kind),
                        place.marked ? "marked" : "", place.scalar.size(), place.scalar);
    const bool map = place.kind == Kind::map;
    for (std::size_t i = 0; i < place.children.size(); i += map ? 2 : 1) {
        std::string below = fmt::format("{}\n{}", path, i);
        if (map) {
            const std::string& key = places[place.children[i]].scalar;
            below = fmt::format("{}\n{}:{}", path, key.size(), key);
            if (changed.contains(below)) continue;
            write_down(places, place.children[i], below, changed, text);
        }
        write_down(places, place.children[i + (map ? 1 : 0)], below, changed, text);
    }
}

std::string all_but(const YamlPlaces& places, std::span<const LinkEdit> edits,
                    std::span<const SwitchEdit> switches) {
    std::set<std::string> changed;
    for (const SwitchEdit& edit : switches) {
        changed.insert(
            fmt::format("\n8:switches\n{}:{}\n13:max_bandwidth", edit.name.size(), edit.name));
    }
    for (const LinkEdit& edit : edits) {
        std::string path;
        for (const std::string& key : edit.path) path += fmt::format("\n{}:{}", key.size(), key);
        changed.insert(std::move(path));
    }
    std::string text;
    write_down(places, places.root(), "", changed, text);
    return text;
}

}  // namespace

Result<std::string> edit_links(std::string_view text, const std::string& name,
                               std::span<const LinkEdit> edits,
                               std::span<const SwitchEdit> switches) {
    const auto places = YamlPlaces::read(text);
    if (!places) return prefixed(one_line(name, 200), places.error());
    LinkEditor editor(text, name, places.value());
    if (Status done = editor.edit(edits); !done) return done.error();
    if (Status done = editor.edit(switches); !done) return done.error();
    auto edited = editor.result();
    // An odd layout may make another file of these changes than is meant. What is read decides.
    const auto is_as_meant = [&] {
        const auto after = YamlPlaces::read(*edited);
        return after &&
               all_but(places.value(), edits, switches) == all_but(after.value(), edits, switches);
    };
    if (!edited || !is_as_meant()) {
        return editor.error(0,
                            "the file is laid out in a way that links cannot be changed in: "
                            "write the numbers by hand");
    }
    return *std::move(edited);
}

}  // namespace commmap
