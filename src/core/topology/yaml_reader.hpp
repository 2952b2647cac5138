#pragma once

#include <yaml-cpp/yaml.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"

namespace commmap {

/// "; did you mean 'x'?" or empty; words too long to be a name get no suggestion, which would cost
/// too much.
[[nodiscard]] std::string hint_for(std::string_view word,
                                   std::span<const std::string_view> candidates);

/// The same for names that the file defines: the nearest one, or all when they are few, and
/// `way_out`.
[[nodiscard]] std::string hint_for(std::string_view word, std::span<const std::string_view> names,
                                   const std::string& way_out);

/// Reads nodes of one YAML file into values, and says where in the file a value is wrong. Private
/// to this module, like all yaml_* headers: no other includes yaml-cpp. Nothing here follows a node
/// further than one level, so that aliases, even of a node to itself, cost nothing.
class YamlReader {
public:
    struct Entry {
        std::string key;
        YAML::Node key_node;
        YAML::Node value;
    };
    using Map = std::vector<Entry>;

    /// @param file  name for messages
    explicit YamlReader(std::string file) : file_(std::move(file)) {}

    /// The only document of `text`. Errors: invalid_input when it is not YAML, is empty, or has
    /// several documents.
    [[nodiscard]] Result<YAML::Node> load(std::string_view text) const;

    [[nodiscard]] Error error(const YAML::Node& at, const std::string& message) const;
    /// The same error, placed in the file.
    [[nodiscard]] Error error(const YAML::Node& at, const Error& error) const;
    /// "LINE:COLUMN" of a node, for messages that name two places.
    [[nodiscard]] static std::string place(const YAML::Node& node);

    /// @param what   names the map in messages: "link 'backbone'"
    /// @param known  its keys; empty: any names
    /// Errors: not a map; a key that is not text, stands twice, has no value (but for x- keys) or
    /// is not known (names the nearest one).
    [[nodiscard]] Result<Map> read_map(const YAML::Node& node, const std::string& what,
                                       std::span<const std::string_view> known = {}) const;
    [[nodiscard]] Result<std::string> read_text(const YAML::Node& node,
                                                const std::string& what) const;
    /// Errors: not a list, or an empty one.
    [[nodiscard]] Result<std::vector<YAML::Node>> read_list(const YAML::Node& node,
                                                            const std::string& what) const;
    [[nodiscard]] Result<double> read_bandwidth(const YAML::Node& node,
                                                const std::string& what) const;
    [[nodiscard]] Result<double> read_time_ns(const YAML::Node& node,
                                              const std::string& what) const;

    /// nullptr when the key is not there.
    [[nodiscard]] static const Entry* find(const Map& map, std::string_view key);

private:
    [[nodiscard]] Error wrong_kind(const YAML::Node& node, const std::string& what,
                                   const std::string& expected) const;
    [[nodiscard]] Error syntax_error(std::string_view text, const YAML::Mark& mark,
                                     const std::string& why) const;
    [[nodiscard]] std::string at(const YAML::Mark& mark) const;

    std::string file_;
};

}  // namespace commmap
