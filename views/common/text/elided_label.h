#pragma once

#include <QLabel>
#include <QString>
#include <QStringList>

namespace kurve::views {

/// An elided line of text, a title or a note, followed by lighter details (of a chart its unit and
/// smoothing): details are dropped first, the last one only after the text is elided. Aligned left, or right
/// with Qt::AlignRight. The tooltip has the full text if it is elided, text() and the accessible name always.
class ElidedLabel : public QLabel {
    Q_OBJECT
public:
    /// `role` of the style sheet: "title", "caption". A caption takes the available width, a title requests
    /// its own.
    explicit ElidedLabel(const char* role, QWidget* parent = nullptr);
    void setText(const QString& text) { setTexts(text); }
    void setTexts(const QString& title, const QStringList& parts = {});
    /// Added to the tooltip; empty: only the elided text.
    void setAbout(const QString& about);
    /// The text that is shown now.
    [[nodiscard]] QString shownText() const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void fit();
    [[nodiscard]] QString rest(qsizetype from) const;
    [[nodiscard]] int widthOf(const QString& rest) const;
    [[nodiscard]] QFont plainFont() const;

    QString title_, about_;
    QStringList parts_;
    QString shownTitle_, shownRest_;
};

}  // namespace kurve::views
