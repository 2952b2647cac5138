#pragma once

#include <span>
#include <string_view>

#include "commmap/result.hpp"
#include "core/mapping/problem/mapper.hpp"

namespace commmap {

/// All mappers, in the order in which they are listed and tried.
[[nodiscard]] std::span<const MapperInfo> mapper_table();

/// not found: an error that names the nearest known mapper.
[[nodiscard]] Result<const MapperInfo*> find_mapper(std::string_view name);

}  // namespace commmap
