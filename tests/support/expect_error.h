#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/base/error.h"

/// The statement throws `type`, and its one-line sentence contains `text`.
#define EXPECT_ERROR(statement, type, text)                                        \
    do {                                                                           \
        try {                                                                      \
            statement;                                                             \
            ADD_FAILURE() << "no error was thrown; expected one with: " << (text); \
        } catch (const type& error) {                                              \
            EXPECT_NE(std::string(error.what()).find(text), std::string::npos)     \
                << "the message was: " << error.what();                            \
            EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);    \
        }                                                                          \
    } while (false)
