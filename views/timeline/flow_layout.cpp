#include "views/timeline/flow_layout.h"

namespace kurve::views {

FlowLayout layoutFlow(const std::vector<FlowItem>& items, const FlowStyle& style) {
    FlowLayout out;
    float x = 0, y = 0;
    for (std::size_t i = 0; i < items.size();) {
        std::size_t end = i + 1;
        float width = items[i].width;
        for (; end < items.size() && !items[end].wordStart; ++end) width += style.joint + items[end].width;
        if (x > 0 && x + style.wordGap + width > style.lineWidth) {
            x = 0;
            y += style.lineHeight;
        }
        if (x > 0) x += style.wordGap;
        for (std::size_t k = i; k < end; ++k) {
            if (k > i) x += style.joint;
            if (k > i && x + items[k].width > style.lineWidth) {  // a word wider than the line breaks inside
                x = 0;
                y += style.lineHeight;
            }
            out.boxes.push_back({x, y, items[k].width, style.lineHeight});
            x += items[k].width;
        }
        i = end;
    }
    out.height = items.empty() ? 0 : y + style.lineHeight;
    return out;
}

}  // namespace kurve::views
