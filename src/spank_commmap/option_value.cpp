#include "spank_commmap/option_value.hpp"

namespace commmap::spank {
namespace {

constexpr std::string_view head = "placed";
constexpr std::string_view verbose_word = ",verbose";

/// Takes a word off the front when it is there.
bool take(std::string_view& text, std::string_view word) {
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
}

}  // namespace

bool is_placed_value(std::string_view value) { return parse_placed_value(value).ok(); }

std::string format_placed_value(const PlacedValue& value) {
    std::string text(head);
    if (value.verbose) text += verbose_word;
    return text + ':' + value.slots;
}

Result<PlacedValue> parse_placed_value(std::string_view value) {
    PlacedValue parsed;
    const bool begun = take(value, head);
    parsed.verbose = take(value, verbose_word);
    if (!begun || !take(value, ":"))
        return Error{Errc::invalid_input, "not the value of a placed launch"};
    parsed.slots = value;
    return parsed;
}

}  // namespace commmap::spank
