// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"

namespace commmap {

/// Finds where the values of a YAML text stand, byte by byte, so that one value can be replaced.
/// Private to this module, as all yaml_* headers.
///
/// yaml-cpp says where a value begins. The end is looked for in the text when it is asked for, so
/// that an odd value elsewhere in the file does no harm.
class YamlPlaces {
public:
    using Index = std::size_t;  ///< of a value
    enum class Kind : unsigned char { scalar, map, list, alias, null };

    struct Place {
        Kind kind = Kind::null;
        bool flow = false;     ///< a map or a list in { } or [ ]
        bool in_flow = false;  ///< stands in such a one
        bool marked = false;   ///< has an anchor or a tag
        std::size_t begin = 0;
        std::string scalar;           ///< its value
        std::vector<Index> children;  ///< of a map: key, value, key, value, ...
    };
    struct Entry {
        Index key;
        Index value;
    };

    /// @param text  one document of YAML; outlives this object
    /// Errors: internal when yaml-cpp does not read the text; the caller has read it before.
    /// Cost: O(text).
    [[nodiscard]] static Result<YamlPlaces> read(std::string_view text);

    [[nodiscard]] Index root() const { return 0; }
    [[nodiscard]] const Place& operator[](Index place) const { return places_[place]; }
    /// Finds an entry of a map by its key. nullopt: not there, or no map.
    [[nodiscard]] std::optional<Entry> find(Index map, std::string_view key) const;
    /// Returns the position behind the last byte of a value, for a block map behind its last value.
    /// nullopt: the value is written in a way that is not understood, as text over several lines.
    [[nodiscard]] std::optional<std::size_t> end(Index place) const;

    [[nodiscard]] std::size_t line_begin(std::size_t position) const;
    /// Returns the begin of the next line, or the end of the text.
    [[nodiscard]] std::size_t next_line(std::size_t position) const;
    /// Returns "LINE:COLUMN" of a position, from 1 on.
    [[nodiscard]] std::string place_text(std::size_t position) const;

private:
    friend class PlaceCollector;
    explicit YamlPlaces(std::string_view text) : text_(text) {}
    [[nodiscard]] std::optional<std::size_t> end_of_scalar(const Place& place) const;
    [[nodiscard]] std::optional<std::size_t> end_of_flow(const Place& place) const;

    std::string_view text_;
    std::vector<Place> places_;
};

}  // namespace commmap
