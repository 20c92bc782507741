#pragma once

#include <algorithm>

#include "views/curve/curve_camera.h"
#include "views/curve/curve_edit.h"
#include "views/imgui_host/draw.h"
#include "views/imgui_host/imgui_widget.h"
#include "views/imgui_host/piece_text.h"

namespace kurve::views {

/// What the view draws; each has its eye.
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

/// A word or a control point; both -1 = nothing.
struct CurveFocus {
    int word = -1, control = -1;
    [[nodiscard]] explicit operator bool() const { return word >= 0 || control >= 0; }
    friend bool operator==(const CurveFocus&, const CurveFocus&) = default;
};

/// What the parts of the view need to draw one frame of one recording.
struct CurveFrame {
    const CurveModel& model;
    ImGuiWidget& host;
    int step = 0;
    CurveLayers layers;
    CurveFocus focus;      ///< what is pointed at, else the selected slot's word
    bool pointed = false;  ///< the focus is under the pointer
    float em = 0;
    int earlierSteps = 5;                      ///< onion skin: how many steps before are drawn
    bool stacked = false;                      ///< the third axis is the denoising step
    const CurveEdit* edit = nullptr;           ///< of this step
    float flash = 0;                           ///< 1 when an edited word has just changed, then falling to 0
    const char* name = nullptr;                ///< of the recording, where two are shown
    const std::vector<int>* chosen = nullptr;  ///< control points that are dragged together

    [[nodiscard]] const Ink& ink() const { return host.ink(); }
    [[nodiscard]] const ImGuiFonts& fonts() const { return host.fonts(); }
    [[nodiscard]] const CurveStep& shown() const {
        return edit != nullptr ? edit->shown() : model.step(step);
    }
    [[nodiscard]] bool isChosen(int control) const {
        return chosen != nullptr && std::find(chosen->begin(), chosen->end(), control) != chosen->end();
    }
    /// How strongly control point j belongs to what is in focus, 0..1: Psi both ways.
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
    /// Row of the vocabulary nearest to a word; -1 without a vocabulary.
    [[nodiscard]] int nearest(int word) const {
        return edit != nullptr ? edit->nearest(word) : model.nearest(step, word);
    }
    [[nodiscard]] bool changed(int word) const { return edit != nullptr && edit->changed(word); }
    /// The token that stands at a word: the recorded one, or what an edit makes of it.
    [[nodiscard]] std::uint32_t token(int word) const {
        if (changed(word)) return model.vocabulary()->id(edit->nearest(word));
        return model.trace().tokens[model.trace().cell(step, word)];
    }
    /// Colour of a place along the sentence: light at its beginning, strong at its end.
    [[nodiscard]] ImU32 along(float u) const { return ink().at(0.38F + 0.57F * u); }
    [[nodiscard]] std::string tokenText(std::uint32_t id) const {
        const auto& pieces = model.trace().pieces;
        const auto found = pieces.find(id);
        std::string piece = found != pieces.end() ? found->second : std::string();
        if (piece.empty() && model.vocabulary() != nullptr) piece = model.vocabulary()->piece(id);
        if (piece.empty()) return "#" + std::to_string(id);
        return shownText(pieceText(piece));
    }
    [[nodiscard]] std::string wordText(int word) const { return tokenText(token(word)); }
};

}  // namespace kurve::views
