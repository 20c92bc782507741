#include "views/curve/curve_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMenu>
#include <QSpinBox>
#include <QStackedLayout>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWidgetAction>

#include "views/common/command_registry.h"
#include "views/common/empty_state.h"
#include "views/common/playhead.h"
#include "views/common/selection.h"
#include "views/common/theme.h"
#include "views/curve/basis_form.h"
#include "views/curve/layer_menu.h"

namespace kurve::views {
namespace {

constexpr float kKeyTurn = 0.12F;

std::string metaOf(const trace::Trace& trace, const char* key) {
    const auto found = trace.meta.find(key);
    return found == trace.meta.end() ? std::string() : found->second;
}

QStringList finalWords(const trace::Trace& trace) {
    QStringList words;
    for (int slot = 0; slot < trace.slots; ++slot) {
        const auto piece = trace.pieces.find(trace.tokens[trace.cell(trace.steps - 1, slot)]);
        const std::string text = piece == trace.pieces.end() ? "" : pieceText(piece->second).text;
        words << QStringLiteral("%1  %2").arg(slot).arg(QString::fromStdString(text));
    }
    return words;
}

}  // namespace

/// What a worker hands back.
struct CurvePanel::Made {
    Result<std::shared_ptr<const CurveModel>> model;
    std::shared_ptr<const CurveModel> pinned;
    bool keepCamera = false;
};

CurvePanel::CurvePanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("curve"), tr("Sentence curve"), context, parent),
      canvas_(new ImGuiWidget(this)),
      view_(*canvas_) {
    canvas_->setObjectName(QStringLiteral("curve.canvas"));
    canvas_->setAccessibleName(tr("Sentence curve: control points, curve and words in a plane"));
    canvas_->setDraw([this] { draw(); });
    empty_ = new EmptyState(this);
    connect(empty_, &EmptyState::clicked, this, &CurvePanel::recordedTraceWanted);
    auto* full = new QWidget(this);
    auto* column = new QVBoxLayout(full);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* bar = new QWidget(full);
    bar->setProperty("role", "bar");
    column->addWidget(bar);
    column->addWidget(canvas_, 1);
    stack_ = new QStackedLayout(this);
    stack_->addWidget(empty_);
    stack_->addWidget(full);
    addCommands();
    buildLayers();
    buildBar(bar);
    setTurning(false);
    connect(context.selection, &Selection::traceChanged, this, &CurvePanel::traceChanged);
    connect(context.selection, &Selection::referenceChanged, this, &CurvePanel::referenceChanged);
    connect(context.selection, &Selection::slotChanged, this, [this](int slot) {
        view_.slot = slot;
        repaintView();
    });
    connect(context.playhead, &Playhead::denoiseStepChanged, this, [this](int step) {
        view_.step = step;
        repaintView();
    });
    traceChanged();
}

CurvePanel::~CurvePanel() = default;

// ---- commands and controls ----

QAction* CurvePanel::addCommand(const char* id, const QString& title, const QKeySequence& keys,
                                const QString& help, std::function<void()> run) {
    return context().commands->add(
        {QLatin1String("curve.") + QLatin1String(id), title, tr("View"), keys, help}, std::move(run), this);
}

void CurvePanel::addCommands() {
    addCommand("fit", tr("Fit the curve"), Qt::Key_F, tr("Show the whole sentence curve"), [this] {
        view_.fit();
        repaintView();
    });
    addCommand("plane", tr("Curve in the plane"), Qt::Key_1, tr("The first two axes"),
               [this] { setLayout(CurveLayout::Plane); });
    addCommand("planes", tr("Curve in three planes"), Qt::Key_2, tr("Every pair of axes beside the others"),
               [this] { setLayout(CurveLayout::Planes); });
    addCommand("space", tr("Curve in space"), Qt::Key_3,
               tr("All three axes: drag or use the arrow keys to turn, Home to turn back"), [this] {
                   setLayout(view_.layout == CurveLayout::Space ? CurveLayout::Plane : CurveLayout::Space);
               });
    stacked_ = addCommand("stacked", tr("Steps as third axis"), Qt::Key_Z,
                          tr("Denoising steps above each other, in space"), [this] {
                              view_.stacked = stacked_->isChecked();
                              if (view_.stacked) setLayout(CurveLayout::Space);
                              repaintView();
                          });
    stacked_->setCheckable(true);
    const auto turn = [this](float yaw, float pitch) {
        return [this, yaw, pitch] {
            view_.camera().turn(yaw, pitch);
            repaintView();
        };
    };
    addCommand("turn_left", tr("Turn left"), Qt::Key_Left, tr("Turn the curve in space"), turn(-kKeyTurn, 0));
    addCommand("turn_right", tr("Turn right"), Qt::Key_Right, tr("Turn the curve in space"),
               turn(kKeyTurn, 0));
    addCommand("turn_up", tr("Tip up"), Qt::Key_Up, tr("Tip the curve in space"), turn(0, -kKeyTurn));
    addCommand("turn_down", tr("Tip down"), Qt::Key_Down, tr("Tip the curve in space"), turn(0, kKeyTurn));
    addCommand("turn_reset", tr("Turn back"), Qt::Key_Home, tr("The first view of the curve in space"),
               [this] {
                   view_.camera().resetTurn();
                   view_.fit();
                   repaintView();
               });
    lock_ = addCommand("lock", tr("Keep the basis"), Qt::Key_L,
                       tr("Show other recordings on the same axes, with the same camera"), [] {});
    lock_->setCheckable(true);
    addCommand("refit", tr("Fit the basis again"), Qt::Key_R,
               tr("With the present choice, on this recording"), [this] { rebuild(); });
    pin_ = addCommand("pin", tr("Pin as B"), Qt::Key_P,
                      tr("Keep this recording beside the next ones, on the same axes"), [this] { pin(); });
    pin_->setCheckable(true);
    addCommand("restore", tr("Put the control point back"), Qt::Key_Escape,
               tr("Undo the dragging of a control point"), [this] { restore(); });
}

void CurvePanel::addLayer(const char* id, const QString& text, const QString& help,
                          bool CurveLayers::*layer) {
    const QString name = QLatin1String("curve.") + QLatin1String(id);
    QAction* action = context().commands->add(
        {QStringLiteral("curve.layer.") + QLatin1String(id), tr("Layer: %1").arg(text), tr("View"), {}, help},
        [] {}, this);
    action->setCheckable(true);
    action->setChecked(view_.layers.*layer);
    action->setIconText(text);
    connect(action, &QAction::toggled, this, [this, layer](bool on) {
        view_.layers.*layer = on;
        repaintView();
    });
    layers_->addLayer(action, name);
}

void CurvePanel::buildLayers() {
    layers_ = new LayerMenu(this);
    addLayer("targets", tr("Targets"), tr("Embeddings of the finished words: rings"), &CurveLayers::targets);
    addLayer("curve", tr("Curve"), tr("The curve through the sentence"), &CurveLayers::curve);
    addLayer("curves", tr("Other curves"),
             tr("All curves of a model that predicts several, with their weights"), &CurveLayers::curves);
    addLayer("words", tr("Words"), tr("The words' places on the curve, named with the token shown"),
             &CurveLayers::words);
    addLayer("polygon", tr("Control points"), tr("Control points and their polygon"), &CurveLayers::polygon);
    addLayer("residuals", tr("Rounding"),
             tr("Spokes from each word to its nearest token; their length is the rounding error"),
             &CurveLayers::residuals);
    addLayer("vocabulary", tr("Vocabulary"), tr("The 50 tokens nearest to each word"),
             &CurveLayers::vocabulary);
    addLayer("trails", tr("Trails"), tr("The way of each control point through all steps"),
             &CurveLayers::trails);
    addLayer("earlier", tr("Earlier steps"), tr("The steps before, faint"), &CurveLayers::earlier);
    auto* count = new QSpinBox;
    count->setObjectName(QStringLiteral("curve.earlier.count"));
    count->setAccessibleName(tr("Earlier steps shown"));
    count->setRange(1, 50);
    count->setValue(view_.earlierSteps);
    connect(count, &QSpinBox::valueChanged, this, [this](int steps) {
        view_.earlierSteps = steps;
        repaintView();
    });
    layers_->addExtra(tr("how many"), count);
}

QToolButton* CurvePanel::addButton(QWidget* bar, const char* id, const QString& text) {
    auto* button = new QToolButton(bar);
    QAction* action = context().commands->action(QLatin1String("curve.") + QLatin1String(id));
    action->setIconText(text);
    button->setDefaultAction(action);
    button->setObjectName(QLatin1String("curve.") + QLatin1String(id));
    button->setAccessibleName(action->text());
    button->setProperty("role", "quiet");
    bar->layout()->addWidget(button);
    return button;
}

QToolButton* CurvePanel::addMenu(QWidget* bar, const char* id, QMenu* menu, const QString& text) {
    auto* button = new QToolButton(bar);
    button->setText(text);
    button->setMenu(menu);
    button->setPopupMode(QToolButton::InstantPopup);
    button->setObjectName(QLatin1String("curve.") + QLatin1String(id));
    button->setAccessibleName(text);
    button->setProperty("role", "quiet");
    bar->layout()->addWidget(button);
    return button;
}

void CurvePanel::buildBar(QWidget* bar) {
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(px(space::kSmall), px(space::kTight), px(space::kMedium), px(space::kTight));
    row->setSpacing(px(space::kTight));
    addMenu(bar, "layers", layers_, tr("Layers"));
    addButton(bar, "plane", tr("Plane"));
    addButton(bar, "planes", tr("Three planes"));
    addButton(bar, "space", tr("3D"));
    addButton(bar, "stacked", tr("Steps as z"));
    curve_ = new QComboBox(bar);
    curve_->setObjectName(QStringLiteral("curve.which"));
    curve_->setAccessibleName(tr("Which of the predicted curves carries the words"));
    curve_->setVisible(false);
    connect(curve_, &QComboBox::activated, this, &CurvePanel::rebuild);
    row->addWidget(curve_);
    row->addStretch(1);
    basis_ = new BasisForm;
    auto* menu = new QMenu(this);
    auto* holder = new QWidgetAction(menu);
    holder->setDefaultWidget(basis_);
    menu->addAction(holder);
    basisButton_ = addMenu(bar, "basis", menu, tr("Basis: %1").arg(basis_->summary()));
    connect(basis_, &BasisForm::changed, this, &CurvePanel::rebuild);
    addButton(bar, "lock", tr("Keep"));
    addButton(bar, "pin", tr("Pin as B"));
    addButton(bar, "fit", tr("Fit"));
    for (const char* id : {"plane", "planes", "space"})
        context().commands->action(QLatin1String("curve.") + QLatin1String(id))->setCheckable(true);
    setLayout(CurveLayout::Plane);
}

void CurvePanel::setLayout(CurveLayout layout) {
    const bool fresh = view_.layout != layout;
    view_.layout = layout;
    const auto show = [this](const char* id, bool on) {
        context().commands->action(QLatin1String("curve.") + QLatin1String(id))->setChecked(on);
    };
    show("plane", layout == CurveLayout::Plane);
    show("planes", layout == CurveLayout::Planes);
    show("space", layout == CurveLayout::Space);
    if (layout != CurveLayout::Space) {
        view_.stacked = false;
        stacked_->setChecked(false);
    }
    if (!fresh) return;
    setTurning(layout == CurveLayout::Space);
    view_.fit();
    repaintView();
}

/// In space the arrow keys and Home turn; else they are the playhead's.
void CurvePanel::setTurning(bool on) {
    for (const auto& entry : context().commands->entries()) {
        if (entry.command.id.startsWith(QLatin1String("curve.turn"))) entry.action->setEnabled(on);
        const bool turnKey = entry.command.keys == QKeySequence(Qt::Key_Left) ||
                             entry.command.keys == QKeySequence(Qt::Key_Right) ||
                             entry.command.keys == QKeySequence(Qt::Key_Up) ||
                             entry.command.keys == QKeySequence(Qt::Key_Down) ||
                             entry.command.keys == QKeySequence(Qt::Key_Home);
        if (!adopted_ || !turnKey || !entry.command.id.startsWith(QLatin1String("timeline."))) continue;
        if (on)
            removeAction(entry.action);
        else
            addAction(entry.action);
    }
}

void CurvePanel::showEvent(QShowEvent* event) {
    if (!adopted_) adoptPlayhead();
    Panel::showEvent(event);
}

/// The playhead's keys work here as well, but for those that mean something else in this view; they are
/// registered by the timeline, which may be made later than this.
void CurvePanel::adoptPlayhead() {
    QList<QKeySequence> own;
    for (const auto& entry : context().commands->entries())
        if (entry.command.id.startsWith(QLatin1String("curve.")) &&
            !entry.command.id.startsWith(QLatin1String("curve.turn")) && !entry.command.keys.isEmpty())
            own << entry.command.keys;
    for (const auto& entry : context().commands->entries())
        if (entry.command.id.startsWith(QLatin1String("timeline.")) && !own.contains(entry.command.keys))
            addAction(entry.action);
    adopted_ = true;
    setTurning(view_.layout == CurveLayout::Space);
}

// ---- models ----

void CurvePanel::traceChanged() {
    background_.drop();
    vocabularies_.drop();
    building_ = loading_ = false;
    if (view_.model() != nullptr) former_ = view_.model()->basis();
    view_.setModel(nullptr, lock_->isChecked() || pinned_ != nullptr);
    view_.slot = context().selection->slot();
    stack_->setCurrentIndex(0);
    const auto trace = context().selection->trace();
    if (trace == nullptr) {
        empty_->setTexts(
            tr("No sentence curve yet"),
            tr("Type a sentence above and press Ctrl+Enter, or open one that training recorded."),
            tr("Open the newest recording"));
        return;
    }
    empty_->setTexts(tr("Fitting the plane…"), {});
    if (trace->steps > 0 && trace->slots > 0) basis_->setWords(finalWords(*trace));
    build(trace, true);
}

void CurvePanel::rebuild() {
    basisButton_->setText(tr("Basis: %1").arg(basis_->summary()));
    if (view_.model() == nullptr) return;
    former_ = view_.model()->basis();
    build(view_.model()->sharedTrace(), false);
}

void CurvePanel::build(std::shared_ptr<const trace::Trace> trace, bool keepBasis) {
    CurveRequest request;
    const std::string key = metaOf(*trace, "run") + '/' + metaOf(*trace, "checkpoint");
    if (vocabulary_ != nullptr && key == vocabularyOf_) request.vocabulary = vocabulary_;
    request.choice = basis_->choice(context().playhead->denoiseStep());
    request.former = former_;
    request.curve = curve_->currentIndex() - 1;  // the first entry is the one that was taken
    const bool kept = keepBasis && (lock_->isChecked() || pinned_ != nullptr);
    if (kept && pinned_ != nullptr)
        request.kept = pinned_->basis();
    else if (kept)
        request.kept = former_;
    request.trace = std::move(trace);
    building_ = true;
    background_.run(
        [request, kept, pinned = pinned_]() -> Made {
            Made made{CurveModel::create(request), pinned, kept};
            if (!made.model || pinned == nullptr || kept) return made;
            CurveRequest other;
            other.trace = pinned->sharedTrace();
            other.vocabulary = pinned->sharedVocabulary();
            other.choice = request.choice;
            other.kept = (*made.model)->basis();
            if (auto again = CurveModel::create(other)) made.pinned = *again;
            return made;
        },
        [this](Made made) { take(std::move(made)); });
}

void CurvePanel::take(Made made) {
    building_ = false;
    if (!made.model) {
        const Error& error = made.model.error();
        empty_->setTexts(tr("This recording has no curve"),
                         QString::fromStdString(error.message + "; " + error.remedy) + QLatin1Char('.'));
        return;
    }
    view_.setModel(*made.model, made.keepCamera);
    const bool later = pinned_ == nullptr && context().selection->reference() != nullptr;
    pinned_ = pinned_ != nullptr ? std::move(made.pinned) : nullptr;
    view_.setOther(pinned_, "B");
    if (later) referenceChanged();
    listCurves();
    view_.step = context().playhead->denoiseStep();
    stack_->setCurrentIndex(1);
    repaintView();
    loadVocabulary();
}

void CurvePanel::listCurves() {
    const int curves = view_.model()->curves();
    curve_->setVisible(curves > 1);
    if (curve_->count() == curves + 1) return;
    curve_->clear();
    curve_->addItem(tr("the curve taken"));
    for (int n = 1; n <= curves; ++n) curve_->addItem(tr("curve %1").arg(n));
}

void CurvePanel::loadVocabulary() {
    const CurveModel& model = *view_.model();
    if (context().project == nullptr || model.vocabulary() == nullptr || model.vocabulary()->whole()) return;
    const auto trace = model.sharedTrace();
    const std::string key = metaOf(*trace, "run") + '/' + metaOf(*trace, "checkpoint");
    if (metaOf(*trace, "run").empty() || key == vocabularyOf_) return;
    vocabularyOf_ = key;
    vocabulary_ = nullptr;
    loading_ = true;
    vocabularies_.run([source = trace::vocabularySourceOf(*context().project, *trace),
                       trace] { return trace::Vocabulary::load(source, *trace); },
                      [this](const Result<std::shared_ptr<const trace::Vocabulary>>& loaded) {
                          loading_ = false;
                          vocabularyProblem_ = loaded ? std::string() : loaded.error().text();
                          if (!loaded || view_.model() == nullptr) return;
                          vocabulary_ = *loaded;
                          former_ = view_.model()->basis();
                          build(view_.model()->sharedTrace(), true);
                      });
}

void CurvePanel::pin() {
    const bool on = pin_->isChecked() && view_.model() != nullptr;
    pin_->setChecked(on);
    context().selection->setReference(on ? view_.model()->sharedTrace() : nullptr);
    if (on) Q_EMIT statusMessage(tr("Pinned as B: open another recording to see both on the same axes."));
}

void CurvePanel::referenceChanged() {
    const auto reference = context().selection->reference();
    pin_->setChecked(reference != nullptr);
    references_.drop();
    if (reference == nullptr || view_.model() == nullptr) return showPinned(nullptr);
    if (reference == view_.model()->sharedTrace()) return showPinned(view_.sharedModel());
    CurveRequest request;
    request.trace = reference;
    request.choice = basis_->choice(context().playhead->denoiseStep());
    request.kept = view_.model()->basis();
    references_.run([request] { return CurveModel::create(request); },
                    [this](const Result<std::shared_ptr<const CurveModel>>& made) {
                        showPinned(made ? *made : nullptr);
                    });
}

void CurvePanel::showPinned(std::shared_ptr<const CurveModel> model) {
    // Two pictures on different axes would lie: a recording of other dimensions is not shown beside.
    if (model != nullptr && view_.model() != nullptr && model->dims() != view_.model()->dims())
        model = nullptr;
    pinned_ = std::move(model);
    view_.setOther(pinned_, "B");
    view_.fit();
    repaintView();
}

// ---- dragging ----

void CurvePanel::startSearch() {
    searches_.run(
        [model = view_.sharedModel(), step = view_.edit()->step()] {
            return std::pair(model, CurveEdit::searchFor(*model, step));
        },
        [this, step = view_.edit()->step()](
            const std::pair<std::shared_ptr<const CurveModel>, CurveEdit::Search>& made) {
            CurveEdit* edit = view_.edit();
            if (edit == nullptr || view_.sharedModel() != made.first || edit->step() != step) return;
            edit->setSearch(made.second);
            tellPreview();
            repaintView();
        });
}

void CurvePanel::tellPreview() {
    WordPreview preview;
    if (const CurveEdit* edit = view_.edit()) {
        preview.step = edit->step();
        const CurveModel& model = edit->model();
        for (int word = 0; word < model.words(); ++word) {
            if (!edit->changed(word)) continue;
            const std::uint32_t id = model.vocabulary()->id(edit->nearest(word));
            const auto piece = model.trace().pieces.find(id);
            preview.pieces[word] = QString::fromStdString(
                piece != model.trace().pieces.end() ? piece->second : model.vocabulary()->piece(id));
        }
    }
    context().selection->setPreview(preview);
}

void CurvePanel::restore() {
    if (view_.edit() == nullptr) return;
    view_.dropEdit();
    tellPreview();
    repaintView();
}

void CurvePanel::release() {
    const CurveEdit& edit = *view_.edit();
    const bool words = edit.model().kind() == CurveKind::WordsOnly;
    QJsonArray changes;
    for (const int control : edit.controls()) {
        QJsonArray values;
        for (const float value : edit.point(control)) values.append(static_cast<double>(value));
        changes.append(QJsonObject{{QStringLiteral("kind"), QStringLiteral("latent")},
                                   {QStringLiteral("step"), edit.step()},
                                   {words ? QStringLiteral("slot") : QStringLiteral("point"), control},
                                   {QStringLiteral("values"), values}});
    }
    Q_EMIT branchRequested(edit.model().sharedTrace(), edit.step(),
                           QString::fromUtf8(QJsonDocument(changes).toJson(QJsonDocument::Compact)));
}

void CurvePanel::draw() {
    const CurveIntent intent = view_.draw();
    if (intent.editBegan) startSearch();
    if (intent.editBegan || intent.editMoved) tellPreview();
    if (intent.editReleased) release();
    if (intent.slot >= 0) context().selection->setSlot(intent.slot);
    if (intent.step >= 0) context().playhead->setDenoiseStep(intent.step);
}

QString CurvePanel::statement() const {
    const CurveModel* model = view_.model();
    if (model == nullptr) return tr("No sentence curve is shown.");
    QString text = tr("%1; the plane shows %2 % of the variance.")
                       .arg(QString::fromStdString(model->description()))
                       .arg(100 * model->explained(), 0, 'f', 0);
    if (!vocabularyProblem_.empty()) text += QLatin1Char(' ') + QString::fromStdString(vocabularyProblem_);
    return text;
}

}  // namespace kurve::views
