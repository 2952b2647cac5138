#pragma once

#include <vector>

#include "commmap/result.hpp"
#include "core/config/options.hpp"
#include "core/profile/store/store.hpp"

namespace commmap::cli {

/// Where profiles are looked for, in order: the user's, then the site's if it has any. What is
/// saved there is compressed. Errors: not_found (the user has no home).
[[nodiscard]] Result<std::vector<ProfileStore>> profile_stores(const Options& options);

/// The user's.
[[nodiscard]] Result<ProfileStore> own_store(const Options& options);

/// The site's, for everybody to read. Errors: invalid_input (there is none).
[[nodiscard]] Result<ProfileStore> site_store(const Options& options);

}  // namespace commmap::cli
