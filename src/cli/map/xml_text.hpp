#pragma once

#include <string>
#include <string_view>

namespace commmap::cli {

/// Any bytes as text between tags or quotes of XML 1.0: what has a meaning there is escaped, what
/// is no UTF-8 or may not stand in XML becomes '?'.
[[nodiscard]] std::string xml_text(std::string_view bytes);

}  // namespace commmap::cli
