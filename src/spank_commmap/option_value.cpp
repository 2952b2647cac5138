#include "spank_commmap/option_value.hpp"

namespace commmap::spank {
namespace {

constexpr std::string_view quiet = "placed:";
constexpr std::string_view talking = "placed,verbose:";

}  // namespace

bool is_placed_value(std::string_view value) {
    return value.starts_with(quiet) || value.starts_with(talking);
}

std::string format_placed_value(const PlacedValue& value) {
    return std::string(value.verbose ? talking : quiet) + value.slots;
}

Result<PlacedValue> parse_placed_value(std::string_view value) {
    if (!is_placed_value(value))
        return Error{Errc::invalid_input, "not the value of a placed launch"};
    const bool verbose = value.starts_with(talking);
    return PlacedValue{verbose, std::string(value.substr((verbose ? talking : quiet).size()))};
}

}  // namespace commmap::spank
