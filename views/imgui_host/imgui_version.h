#pragma once

#include <imgui.h>

namespace kurve::views {

// What Dear ImGui 1.86 (Debian 12) and 1.90 (Debian 13) have in different forms.

/// ImGui reads io.KeyCtrl: 1.90 overwrites the modifiers otherwise.
inline void useKeyArrays([[maybe_unused]] ImGuiIO& io) {
#if IMGUI_VERSION_NUM >= 18700
    io.BackendUsingLegacyKeyArrays = 1;
#endif
}

/// `data` draws `list` alone; it points to the list, in 1.86 also to the pointer.
inline void setDrawList(ImDrawData& data, ImDrawList*& list) {
#if IMGUI_VERSION_NUM < 18973
    data.CmdLists = &list;
#else
    data.CmdLists.resize(0);
    data.CmdLists.push_back(list);
#endif
    data.CmdListsCount = 1;
    data.TotalVtxCount = list->VtxBuffer.Size;
    data.TotalIdxCount = list->IdxBuffer.Size;
}

}  // namespace kurve::views
