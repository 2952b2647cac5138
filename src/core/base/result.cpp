#include "commmap/result.hpp"

namespace commmap {

Error prefixed(const std::string& where, const Error& error) {
    return Error{error.code, where + ": " + error.message};
}

}  // namespace commmap
