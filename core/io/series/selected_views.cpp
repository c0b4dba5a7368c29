#include "core/io/series/selected_views.h"

#include <type_traits>
#include <utility>

#include "core/base/error.h"

namespace gantry {

SelectedViews::SelectedViews(std::shared_ptr<const ProjectionSource> all, std::vector<Index> views)
    : m_all(std::move(all)), m_views(std::move(views)), m_info(m_all->info()) {
    require(!m_views.empty(), "no view at all was selected");
    const auto count = std::ssize(m_views);
    // The part of the files that will be read.
    m_info.storedBytes = m_info.storedBytes / m_info.views * count;
    m_info.views = count;
    const auto select = [&](auto& ofEach) {
        if (ofEach.empty()) return;
        std::remove_reference_t<decltype(ofEach)> selected;
        for (const Index view : m_views)
            selected.push_back(ofEach[view]);
        ofEach = std::move(selected);
    };
    select(m_info.projectionsBefore);
    select(m_info.monitor);
}

Index SelectedViews::numberOf(Index view) const {
    require(view >= 0 && view < m_info.views, "a view that was not selected was asked for");
    return m_views[view];
}

void SelectedViews::readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const {
    m_all->readRows(numberOf(view), rows, pixels);
}

std::string SelectedViews::viewName(Index view) const {
    return m_all->viewName(numberOf(view));
}

}  // namespace gantry
