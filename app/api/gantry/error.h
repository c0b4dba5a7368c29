#pragma once

/// @file
/// What is thrown: gantry::InputError for wrong data and requests, gantry::ResourceError where
/// memory, disk or a device does not suffice, gantry::Cancelled after a stop,
/// gantry::InternalError for a fault in Gantry. Each message is a sentence for the user.

#include "core/base/error.h"
