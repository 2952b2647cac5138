// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "command.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

namespace commmap::bench {

int run_command(CLI::App& app, int argc, char** argv, const std::function<void()>& work) {
    try {
        app.parse(argc, argv);
        work();
        return 0;
    } catch (const CLI::Success&) {
        std::fputs(app.help().c_str(), stdout);
        return 0;
    } catch (const CLI::ParseError& error) {
        std::fprintf(stderr, "%s: %s (--help lists the options)\n", app.get_name().c_str(),
                     error.what());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", app.get_name().c_str(), error.what());
    }
    return 1;
}

}  // namespace commmap::bench
