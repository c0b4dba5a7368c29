#pragma once

#include <stop_token>

#include "core/remote/transfer/rsync.h"

namespace gantry {

/// Does the work of moveByRsync() for hosts without rsync: what differs, by the checksums of
/// `cksum` on both sides, is moved by sftp, and by copying on this machine. What was moved is
/// compared once more; what differs then is removed.
/// @throws as moveByRsync()
/// Tests: tests/core/remote/transfer_test.cpp, tests/cli/test_remote_faults.py
void moveBySftp(const Transfer& transfer, const BytesHandler& moved, const std::stop_token& stop);

}  // namespace gantry
