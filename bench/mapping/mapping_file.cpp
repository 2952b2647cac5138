// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "mapping_file.hpp"

#include <optional>
#include <string_view>

#include "text_file.hpp"

namespace commmap::bench {

MappingText read_mapping(const std::string& path) {
    const std::string text = read_text_file(path);
    std::string_view rest = text;
    MappingText mapping;
    while (const auto line = cut_line(rest)) {
        const auto pu = read_number(*line);
        if (!pu) {
            mapping.problem = "line " + std::to_string(mapping.pu_of_rank.size() + 1) +
                              " is not a PU number: '" + std::string(line->substr(0, 40)) + "'";
            return mapping;
        }
        mapping.pu_of_rank.push_back(*pu);
    }
    return mapping;
}

void write_mapping(const std::string& path, std::span<const std::uint64_t> pu_of_rank) {
    TextWriter out(path);
    for (const std::uint64_t pu : pu_of_rank) {
        out.put(pu);
        out.put('\n');
    }
    out.close();
}

}  // namespace commmap::bench
