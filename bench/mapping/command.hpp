// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace commmap::bench {

/// Reads the command line into what `app` is bound to, then does `work`.
///
/// @return  exit code of the program: 0, also for --help; 1 with one line on stderr when an option
///          is wrong or `work` throws
[[nodiscard]] int run_command(CLI::App& app, int argc, char** argv,
                              const std::function<void()>& work);

}  // namespace commmap::bench
