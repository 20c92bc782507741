#pragma once

#include "views/curve/curve_model.h"
#include "views/imgui_host/draw.h"
#include "views/imgui_host/imgui_widget.h"
#include "views/imgui_host/piece_text.h"

namespace kurve::views {

/// What the view draws; each has its button.
struct CurveLayers {
    bool polygon = true, curve = true, words = true, residuals = true, vocabulary = true, earlier = true;
    [[nodiscard]] std::uint64_t bits() const {
        return (polygon ? 1U : 0U) | (curve ? 2U : 0U) | (words ? 4U : 0U) | (residuals ? 8U : 0U) |
               (vocabulary ? 16U : 0U) | (earlier ? 32U : 0U);
    }
};

/// A word or a control point; both -1 = nothing.
struct CurveFocus {
    int word = -1, control = -1;
    [[nodiscard]] explicit operator bool() const { return word >= 0 || control >= 0; }
    friend bool operator==(const CurveFocus&, const CurveFocus&) = default;
};

/// What the parts of the view need to draw one frame.
struct CurveFrame {
    const CurveModel& model;
    ImGuiWidget& host;
    int step = 0;
    CurveLayers layers;
    CurveFocus focus;      ///< what is pointed at, else the selected slot's word
    bool pointed = false;  ///< the focus is under the pointer
    float em = 0;

    [[nodiscard]] const Ink& ink() const { return host.ink(); }
    [[nodiscard]] const ImGuiFonts& fonts() const { return host.fonts(); }
    /// How strongly control point j belongs to what is in focus, 0..1: Psi both ways.
    [[nodiscard]] float controlWeight(int control) const {
        if (focus.control >= 0) return focus.control == control ? 1.0F : 0.0F;
        return focus.word >= 0 ? static_cast<float>(model.psi(focus.word, control)) : 0.0F;
    }
    [[nodiscard]] float wordWeight(int word) const {
        if (focus.word >= 0) return focus.word == word ? 1.0F : 0.0F;
        return focus.control >= 0 ? static_cast<float>(model.psi(word, focus.control)) : 0.0F;
    }
    /// Colour of a place along the sentence: light at its beginning, strong at its end.
    [[nodiscard]] ImU32 along(float u) const { return ink().at(0.38F + 0.57F * u); }
    [[nodiscard]] std::string tokenText(std::uint32_t id) const {
        const auto& pieces = model.trace().pieces;
        const auto found = pieces.find(id);
        if (found == pieces.end()) return "#" + std::to_string(id);
        const PieceText piece = pieceText(found->second);
        return piece.text.empty() ? "␣" : piece.text;
    }
};

}  // namespace kurve::views
