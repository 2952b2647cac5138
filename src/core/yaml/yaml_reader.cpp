// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/yaml/yaml_reader.hpp"

#include <fmt/core.h>

#include <yaml-cpp/eventhandler.h>

#include <sstream>
#include <unordered_map>

#include "core/text/one_line.hpp"
#include "core/text/suggest.hpp"
#include "core/text/units.hpp"

namespace commmap {
namespace {

/// Returns what a node is, for messages: "is a list", "is 'text'".
std::string kind_of(const YAML::Node& node) {
    switch (node.Type()) {
        case YAML::NodeType::Map:
            return "is a map";
        case YAML::NodeType::Sequence:
            return "is a list";
        case YAML::NodeType::Scalar:
            return "is " + quoted(node.Scalar());
        case YAML::NodeType::Null:
        case YAML::NodeType::Undefined:
            break;
    }
    return "is empty";
}

/// Counts the documents of a file without keeping their content.
class Documents : public YAML::EventHandler {
public:
    void OnDocumentStart(const YAML::Mark& mark) override {
        ++count;
        start = mark;
    }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
    void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
    void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  const std::string&) override {}
    void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                         YAML::EmitterStyle::value) override {}
    void OnSequenceEnd() override {}
    void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                    YAML::EmitterStyle::value) override {}
    void OnMapEnd() override {}

    int count = 0;
    YAML::Mark start;  ///< of the last document
};

std::string joined(std::span<const std::string_view> names) {
    std::string text;
    for (const std::string_view name : names) {
        text += text.empty() ? "" : ", ";
        text += name;
    }
    return text;
}

}  // namespace

std::string hint_for(std::string_view word, std::span<const std::string_view> candidates) {
    return word.size() > 64 ? std::string() : did_you_mean(word, candidates);
}

std::string hint_for(std::string_view word, std::span<const std::string_view> names,
                     const std::string& way_out) {
    constexpr std::size_t few = 8;
    std::string nearest = hint_for(word, names);
    if (!nearest.empty()) return nearest;
    return fmt::format(
        "{}; {}",
        names.empty() || names.size() > few ? "" : "; known: " + one_line(joined(names), 200),
        way_out);
}

std::string YamlReader::at(const YAML::Mark& mark) const {
    if (mark.is_null()) return file_ + ":1:1";
    return fmt::format("{}:{}:{}", file_, mark.line + 1, mark.column + 1);
}

Error YamlReader::error(const YAML::Node& node, const std::string& message) const {
    return {Errc::invalid_input, fmt::format("{}: {}", at(node.Mark()), one_line(message, 600))};
}

Error YamlReader::error(const YAML::Node& node, const Error& error) const {
    return {error.code, fmt::format("{}: {}", at(node.Mark()), one_line(error.message, 600))};
}

std::string YamlReader::place(const YAML::Node& node) {
    return fmt::format("{}:{}", node.Mark().line + 1, node.Mark().column + 1);
}

Error YamlReader::syntax_error(std::string_view text, const YAML::Mark& mark,
                               const std::string& why) const {
    std::string message = "not YAML: " + one_line(why, 200);
    // Users often write {nodes: m[0-4]} without quotes, which is not YAML.
    std::size_t begin = 0;
    for (int line = 0; line < mark.line && begin != std::string_view::npos; ++line) {
        begin = text.find('\n', begin);
        if (begin != std::string_view::npos) ++begin;
    }
    if (begin != std::string_view::npos) {
        const std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
        if (line.find('{') != std::string_view::npos && line.find('[') != std::string_view::npos) {
            message += "; inside { } a hostlist with brackets needs quotes: \"m[0-4]\"";
        }
    }
    return {Errc::invalid_input, fmt::format("{}: {}", at(mark), message)};
}

Result<YAML::Node> YamlReader::load(std::string_view text) const {
    const auto refuse = [&](const std::string& why) {
        return Error{Errc::invalid_input, fmt::format("{}:1:1: {}", file_, why)};
    };
    if (const auto zero = text.find('\0'); zero != std::string_view::npos) {
        return refuse("not YAML: the file has a NUL byte; it must be UTF-8 text");
    }
    Documents documents;
    YAML::Node first;
    try {
        // Counting stops at two. In a text like "," yaml-cpp (0.7) finds an endless number of empty
        // documents, and LoadAll() would keep them all.
        std::istringstream in{std::string(text)};
        YAML::Parser parser(in);
        while (documents.count < 2 && parser.HandleNextDocument(documents)) {
        }
        first = YAML::Load(std::string(text));
    } catch (const YAML::Exception& e) {
        // yaml-cpp reports "bad file" for a file with more than 500 levels.
        return syntax_error(text, e.mark, e.msg == "bad file" ? "nested too deeply" : e.msg);
    }
    if (documents.count == 0 || first.IsNull()) {
        return refuse(fmt::format("the file is empty; start with 'version: 1' ({})", kind_.page));
    }
    if (documents.count > 1) {
        return Error{Errc::invalid_input,
                     fmt::format("{}: a second document; {} is one document, remove the '---'",
                                 at(documents.start), kind_.what)};
    }
    return first;
}

Error YamlReader::wrong_kind(const YAML::Node& node, const std::string& what,
                             const std::string& expected) const {
    return error(node, fmt::format("{} {}; it must be {}", what, kind_of(node), expected));
}

Result<YamlReader::Map> YamlReader::read_map(const YAML::Node& node, const std::string& what,
                                             std::span<const std::string_view> known) const {
    if (!node.IsMap()) {
        return wrong_kind(node, what,
                          known.empty() ? std::string("a map 'name: value'")
                                        : "a map with the keys " + joined(known));
    }
    Map map;
    map.reserve(node.size());
    std::unordered_map<std::string_view, std::size_t> seen;
    for (const auto& pair : node) {
        if (!pair.first.IsScalar() || pair.first.Scalar().empty()) {
            return error(pair.first, fmt::format("a key of {} {}; it must be a name", what,
                                                 kind_of(pair.first)));
        }
        map.push_back({pair.first.Scalar(), pair.first, pair.second});
    }
    for (std::size_t i = 0; i < map.size(); ++i) {
        const auto [first, is_new] = seen.try_emplace(map[i].key, i);
        if (!is_new) {
            return error(map[i].key_node,
                         fmt::format("key {} of {} stands twice, first at {}; remove one",
                                     quoted(map[i].key), what, place(map[first->second].key_node)));
        }
        if (map[i].value.IsNull() && !map[i].key.starts_with("x-")) {
            // An empty value's own mark is the place of the next token, so the key's is given.
            return error(map[i].key_node,
                         fmt::format("{} of {} is empty; give it a value or remove it",
                                     quoted(map[i].key), what));
        }
        bool is_known = known.empty();
        for (const std::string_view key : known) is_known = is_known || key == map[i].key;
        if (!is_known) {
            return error(map[i].key_node,
                         fmt::format("unknown key {} of {}, known: {}{}", quoted(map[i].key), what,
                                     joined(known), hint_for(map[i].key, known)));
        }
    }
    return map;
}

Result<std::string> YamlReader::read_text(const YAML::Node& node, const std::string& what) const {
    if (!node.IsScalar()) return wrong_kind(node, what, "a single value");
    return node.Scalar();
}

Result<std::vector<YAML::Node>> YamlReader::read_list(const YAML::Node& node,
                                                      const std::string& what) const {
    if (!node.IsSequence()) return wrong_kind(node, what, "a list '[a, b]'");
    std::vector<YAML::Node> items;
    items.reserve(node.size());
    for (const auto& item : node) items.push_back(item);
    if (items.empty())
        return error(node, what + " is an empty list; name at least one or remove the key");
    return items;
}

Result<double> YamlReader::read_bandwidth(const YAML::Node& node, const std::string& what) const {
    if (!node.IsScalar()) return wrong_kind(node, what, "a value like '100 Mbit/s'");
    auto value = parse_bandwidth_bytes_per_s(one_line(node.Scalar(), 80));
    if (!value) return error(node, prefixed(what, value.error()));
    return value;
}

Result<double> YamlReader::read_time_ns(const YAML::Node& node, const std::string& what) const {
    if (!node.IsScalar()) return wrong_kind(node, what, "a value like '60 us'");
    auto value = parse_time_ns(one_line(node.Scalar(), 80));
    if (!value) return error(node, prefixed(what, value.error()));
    return value;
}

const YamlReader::Entry* YamlReader::find(const Map& map, std::string_view key) {
    for (const Entry& entry : map) {
        if (entry.key == key) return &entry;
    }
    return nullptr;
}

}  // namespace commmap
