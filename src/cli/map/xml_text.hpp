// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>

namespace commmap::cli {

/// Makes any bytes a text for XML 1.0, between tags or quotes. Characters with a meaning in XML are
/// escaped.
/// Bytes that are no UTF-8 or that XML forbids become '?'.
[[nodiscard]] std::string xml_text(std::string_view bytes);

}  // namespace commmap::cli
