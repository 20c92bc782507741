#pragma once

#include <algorithm>

#include "core/inspect/curve_edit.h"
#include "core/inspect/token_text.h"
#include "views/curve/curve_camera.h"
#include "views/imgui_host/draw.h"
#include "views/imgui_host/imgui_widget.h"

namespace kurve::views {

/// The layers of the view.
struct CurveLayers {
    bool polygon = true, curve = true, words = true, targets = false, residuals = true, vocabulary = true,
         earlier = true, trails = false, curves = true;
    [[nodiscard]] std::uint64_t bits() const {
        std::uint64_t out = 0;
        for (const bool on : {polygon, curve, words, targets, residuals, vocabulary, earlier, trails, curves})
            out = 2 * out + (on ? 1U : 0U);
        return out;
    }
};

/// A position or a control point; both -1 = nothing.
struct CurveFocus {
    int word = -1, control = -1;
    [[nodiscard]] explicit operator bool() const { return word >= 0 || control >= 0; }
    friend bool operator==(const CurveFocus&, const CurveFocus&) = default;
};

/// Input of one frame for all parts of the view, of one trace.
struct CurveFrame {
    const inspect::CurveModel& model;
    ImGuiWidget& host;
    int step = 0;
    CurveLayers layers;
    CurveFocus focus;      ///< under the pointer, else the selected position
    bool pointed = false;  ///< the focus is under the pointer
    float em = 0;
    int earlierSteps = 5;                      ///< onion skin: number of earlier steps
    const inspect::CurveEdit* edit = nullptr;  ///< of this step
    float flash = 0;                           ///< 1 when an edited token has just changed, then falling to 0
    const char* name = nullptr;                ///< of the trace, if two are shown
    const std::vector<int>* chosen = nullptr;  ///< selected control points

    [[nodiscard]] const Ink& ink() const { return host.ink(); }
    [[nodiscard]] const ImGuiFonts& fonts() const { return host.fonts(); }
    [[nodiscard]] const inspect::CurveStep& shown() const {
        return edit != nullptr ? edit->shown() : model.step(step);
    }
    [[nodiscard]] bool isChosen(int control) const {
        return chosen != nullptr && std::find(chosen->begin(), chosen->end(), control) != chosen->end();
    }
    /// Weight between the control point and the focus, 0..1.
    [[nodiscard]] float controlWeight(int control) const {
        if (focus.control >= 0) return focus.control == control ? 1.0F : 0.0F;
        return focus.word >= 0 && focus.word < model.words()
                   ? static_cast<float>(model.psi(focus.word, control))
                   : 0.0F;
    }
    [[nodiscard]] float wordWeight(int word) const {
        if (focus.word >= 0) return focus.word == word ? 1.0F : 0.0F;
        return focus.control >= 0 && focus.control < model.controlPoints()
                   ? static_cast<float>(model.psi(word, focus.control))
                   : 0.0F;
    }
    /// Row of the vocabulary nearest to a position; -1 without a vocabulary.
    [[nodiscard]] int nearest(int word) const {
        return edit != nullptr ? edit->nearest(word) : model.nearest(step, word);
    }
    [[nodiscard]] bool isWritten(int word) const { return changed(word) || model.isWritten(step, word); }
    [[nodiscard]] bool changed(int word) const { return edit != nullptr && edit->changed(word); }
    /// The token of a position: the recorded one, or that of an edit.
    [[nodiscard]] std::uint32_t token(int word) const {
        if (changed(word)) return model.vocabulary()->id(edit->nearest(word));
        return model.trace().tokenAt(step, word);
    }
    /// Colour along the sentence: light at its beginning, strong at its end.
    [[nodiscard]] ImU32 along(float u) const { return ink().at(0.38F + 0.57F * u); }
    [[nodiscard]] std::string tokenText(std::uint32_t id) const {
        if (id == trace::kNoToken) return {};  // not written yet
        const auto& texts = model.trace().tokenTexts;
        const auto found = texts.find(id);
        std::string text = found != texts.end() ? found->second : std::string();
        if (text.empty() && model.vocabulary() != nullptr) text = model.vocabulary()->token(id);
        if (text.empty()) return "#" + std::to_string(id);
        return inspect::shownText(inspect::tokenText(text));
    }
    [[nodiscard]] std::string wordText(int word) const { return tokenText(token(word)); }
};

}  // namespace kurve::views
