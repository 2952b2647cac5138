// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <yaml-cpp/yaml.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"

namespace commmap {

/// Suggests the nearest candidate for a misspelt word: "; did you mean 'x'?", or an empty text. A
/// word that is too long to be a name gets no suggestion, which would cost too much.
[[nodiscard]] std::string hint_for(std::string_view word,
                                   std::span<const std::string_view> candidates);

/// Suggests a name that the file defines: the nearest one, or all names when they are few, followed
/// by `way_out`.
[[nodiscard]] std::string hint_for(std::string_view word, std::span<const std::string_view> names,
                                   const std::string& way_out);

/// What a YAML file is about, for messages.
struct YamlKind {
    std::string what;  ///< "a cluster"
    std::string page;  ///< of the documentation: "docs/admin/cluster-yaml.md"
};

/// Reads the nodes of one YAML file into values, and says where in the file a value is wrong.
/// Only readers of files include this header: their callers know nothing of yaml-cpp. It never
/// follows a node further than one level. So aliases, even of a node to itself, cost nothing.
class YamlReader {
public:
    struct Entry {
        std::string key;
        YAML::Node key_node;
        YAML::Node value;
    };
    using Map = std::vector<Entry>;

    /// @param file  name for messages
    YamlReader(std::string file, YamlKind kind) : file_(std::move(file)), kind_(std::move(kind)) {}

    /// Parses `text` and returns its only document.
    /// Errors: invalid_input when it is not YAML, is empty, or has several documents.
    [[nodiscard]] Result<YAML::Node> load(std::string_view text) const;

    [[nodiscard]] Error error(const YAML::Node& at, const std::string& message) const;
    /// Puts the place in the file in front of an error's message.
    [[nodiscard]] Error error(const YAML::Node& at, const Error& error) const;
    /// Returns "LINE:COLUMN" of a node, for messages that name two places.
    [[nodiscard]] static std::string place(const YAML::Node& node);

    /// Reads a map.
    /// @param what   names the map in messages: "link 'backbone'"
    /// @param known  the keys that it may have; empty: any
    /// Errors: not a map; a key that is not text, is there twice, has no value (x- keys may lack
    /// one) or is unknown. The message suggests the nearest known key.
    [[nodiscard]] Result<Map> read_map(const YAML::Node& node, const std::string& what,
                                       std::span<const std::string_view> known = {}) const;
    [[nodiscard]] Result<std::string> read_text(const YAML::Node& node,
                                                const std::string& what) const;
    /// Reads a list. Errors: not a list, or an empty one.
    [[nodiscard]] Result<std::vector<YAML::Node>> read_list(const YAML::Node& node,
                                                            const std::string& what) const;
    [[nodiscard]] Result<double> read_bandwidth(const YAML::Node& node,
                                                const std::string& what) const;
    [[nodiscard]] Result<double> read_time_ns(const YAML::Node& node,
                                              const std::string& what) const;

    /// Finds an entry by its key; nullptr: there is none.
    [[nodiscard]] static const Entry* find(const Map& map, std::string_view key);

private:
    [[nodiscard]] Error wrong_kind(const YAML::Node& node, const std::string& what,
                                   const std::string& expected) const;
    [[nodiscard]] Error syntax_error(std::string_view text, const YAML::Mark& mark,
                                     const std::string& why) const;
    [[nodiscard]] std::string at(const YAML::Mark& mark) const;

    std::string file_;
    YamlKind kind_;
};

}  // namespace commmap
