// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <map>
#include <string>
#include <string_view>

#include "commmap/result.hpp"
#include "core/topology/bandwidth_curve.hpp"
#include "core/yaml/yaml_reader.hpp"

namespace commmap {

/// The named links of a cluster YAML (its section `links`), with their bandwidths and latencies.
class YamlLinks {
public:
    explicit YamlLinks(const YamlReader& reader) : reader_(reader) {}

    /// Reads the section `links`.
    [[nodiscard]] Status read(const YAML::Node& section);
    /// Reads a link in the place where it is used: the name of a known link, or a map that
    /// describes one.
    /// @param what  the user of the link, for messages
    [[nodiscard]] Result<Port> read_link(const YAML::Node& node, const std::string& what) const;
    /// Returns the name of the link that read_link() read there; empty for a link written in place.
    [[nodiscard]] static std::string link_name(const YAML::Node& node) {
        return node.IsScalar() ? node.Scalar() : std::string{};
    }

private:
    [[nodiscard]] Result<Port> read_port(const YAML::Node& node, const std::string& what) const;
    /// A word that a key may have, and what the word means.
    struct Word {
        std::string_view word;
        std::string_view meaning;
    };
    /// Returns whether a key has the second of its two words. The first is the default.
    [[nodiscard]] Result<bool> read_second(const YamlReader::Map& map, std::string_view key,
                                           const std::string& what, const Word& first,
                                           const Word& second) const;
    /// Returns whether the two directions share one bandwidth.
    [[nodiscard]] Result<bool> read_half_duplex(const YamlReader::Map& map,
                                                const std::string& what) const;
    [[nodiscard]] Result<Channel> read_channel(const YamlReader::Map& map,
                                               const std::string& direction,
                                               const std::string& what) const;
    [[nodiscard]] Result<BandwidthCurve> read_curve(const YAML::Node& node,
                                                    const std::string& what) const;

    const YamlReader& reader_;
    std::map<std::string, Port, std::less<>> links_;
};

}  // namespace commmap
