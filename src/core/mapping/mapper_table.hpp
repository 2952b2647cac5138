// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string_view>

#include "commmap/result.hpp"
#include "core/mapping/problem/mapper.hpp"

namespace commmap {

/// Returns all mappers, in the order in which they are listed and tried. A new mapper needs a row
/// here.
[[nodiscard]] std::span<const MapperInfo> mapper_table();

/// Finds a mapper by its name.
/// Errors: not_found; the message suggests the nearest known name.
[[nodiscard]] Result<const MapperInfo*> find_mapper(std::string_view name);

}  // namespace commmap
