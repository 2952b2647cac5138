// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "commmap/result.hpp"
#include "core/config/options.hpp"
#include "core/profile/store/store.hpp"

namespace commmap::cli {

/// Returns the stores of profiles in the order of search: the user's, then the site's if there is
/// one. New files there are compressed.
/// Errors: not_found (the user has no home).
[[nodiscard]] Result<std::vector<ProfileStore>> profile_stores(const Options& options);

/// Returns the user's store.
[[nodiscard]] Result<ProfileStore> own_store(const Options& options);

/// Returns the site's store, for everybody to read. Errors: invalid_input (there is none).
[[nodiscard]] Result<ProfileStore> site_store(const Options& options);

}  // namespace commmap::cli
