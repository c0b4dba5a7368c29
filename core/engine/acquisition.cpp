#include "core/engine/acquisition.h"

namespace gantry {

IndexRange Acquisition::storedRows(IndexRange rows) const {
    return rows.empty() || rectifier.isIdentity() ? rows : rectifier.sourceRows(rows);
}

Index Acquisition::storedRowBytes() const {
    return stored.columns * sizeBytes(stored.pixelType);
}

}  // namespace gantry
