#include "ui/scene/gl_canvas.h"

#include <vtkCallbackCommand.h>
#include <vtkCamera.h>
#include <vtkCommand.h>
#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkNew.h>
#include <vtkOpenGLState.h>
#include <vtkProp.h>
#include <vtkRenderer.h>
#include <vtkUnsignedCharArray.h>

#include <QCoreApplication>
#include <QOffscreenSurface>
#include <QOpenGLContext>
#include <QOpenGLFunctions>
#include <QThread>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "ui/scene/orbit_camera.h"

namespace gantry {

namespace {

constexpr int kMinMajor = 3;
constexpr int kMinMinor = 2;
constexpr int kSamples = 4;

QString tooOldSentence(const QString& offered) {
    return QCoreApplication::translate("gantry::GlCanvas",
                                       "3D views need OpenGL 3.2; this display offers %1. "
                                       "Everything else works.")
        .arg(offered);
}

QSurfaceFormat wantedFormat() {
    QSurfaceFormat format;
    format.setRenderableType(QSurfaceFormat::OpenGL);
    format.setVersion(kMinMajor, kMinMinor);
    format.setProfile(QSurfaceFormat::CoreProfile);
    // A forward-compatible context would draw no line wider than a pixel.
    format.setOption(QSurfaceFormat::DeprecatedFunctions);
    return format;
}

QString noneText() {
    return QCoreApplication::translate("gantry::GlCanvas", "none");
}

bool isSoftwareRenderer(const QString& name) {
    for (const char* word : {"llvmpipe", "softpipe", "swrast", "software", "gdi generic"})
        if (name.contains(QLatin1String(word), Qt::CaseInsensitive)) return true;
    return false;
}

// Whether VTK could load the OpenGL functions that it needs; without GLX, as with EGL, it cannot.
class SceneWindow : public vtkGenericOpenGLRenderWindow {
  public:
    static SceneWindow* New() { return new SceneWindow; }
    [[nodiscard]] bool hasOpenGl() const { return GlewInitValid; }
};

}  // namespace

struct GlCanvas::Parts {
    explicit Parts(vtkRenderer& sceneRenderer) : renderer(sceneRenderer) {}

    void makeContext();
    void makeWindow();
    static void answer(vtkObject*, unsigned long event, void* self, void* data);

    vtkRenderer& renderer;
    QOffscreenSurface surface;
    QOpenGLContext context;
    vtkNew<SceneWindow> window;
    vtkNew<vtkCallbackCommand> observer;
    vtkNew<vtkUnsignedCharArray> pixels;
    QString problem;
    QString graphicsName;
    Index freeBytes = 0;
    bool hasWindow = false;
    std::unique_ptr<QThread> thread;  // draws the first picture
    QImage first;
};

GlCanvas::GlCanvas(vtkRenderer& renderer) : m_parts(std::make_unique<Parts>(renderer)) {
    m_parts->makeContext();
    if (m_parts->problem.isEmpty()) m_parts->makeWindow();
}

GlCanvas::~GlCanvas() {
    Parts& parts = *m_parts;
    if (parts.thread) parts.thread->wait();
    if (!parts.hasWindow) return;
    // The scene's resources on the card are released while its context is current.
    const bool isCurrent = parts.context.makeCurrent(&parts.surface);
    if (isCurrent) parts.window->Finalize();
    parts.window->RemoveObserver(parts.observer);
    parts.window->RemoveRenderer(&parts.renderer);
    if (isCurrent) parts.context.doneCurrent();
}

const QString& GlCanvas::problem() const {
    return m_parts->problem;
}
const QString& GlCanvas::graphicsName() const {
    return m_parts->graphicsName;
}
Index GlCanvas::freeBytes() const {
    return m_parts->freeBytes;
}
bool GlCanvas::isSoftware() const {
    return isSoftwareRenderer(m_parts->graphicsName);
}

void GlCanvas::Parts::makeContext() {
    context.setFormat(wantedFormat());
    if (!context.create()) {
        problem = tooOldSentence(noneText());
        return;
    }
    surface.setFormat(context.format());
    surface.create();
    if (!surface.isValid() || !context.makeCurrent(&surface)) {
        problem = tooOldSentence(noneText());
        return;
    }
    const auto name = context.functions()->glGetString(GL_RENDERER);
    graphicsName = QString::fromUtf8(reinterpret_cast<const char*>(name));
    if (context.hasExtension("GL_NVX_gpu_memory_info")) {
        constexpr GLenum kAvailableKibibytes = 0x9049;
        GLint kibibytes = 0;
        context.functions()->glGetIntegerv(kAvailableKibibytes, &kibibytes);
        freeBytes = Index{kibibytes} << 10;
    }
    const QSurfaceFormat format = context.format();
    if (context.isOpenGLES() || format.version() < std::pair(kMinMajor, kMinMinor))
        problem =
            tooOldSentence(QString("%1.%2").arg(format.majorVersion()).arg(format.minorVersion()));
    context.doneCurrent();
}

void GlCanvas::Parts::makeWindow() {
    observer->SetClientData(this);
    observer->SetCallback(&Parts::answer);
    for (const auto event : {vtkCommand::WindowMakeCurrentEvent, vtkCommand::WindowIsCurrentEvent})
        window->AddObserver(event, observer);
    window->SetOwnContext(0);
    window->SetFrameBlitModeToNoBlit();
    window->SetMultiSamples(kSamples);
    window->SetReadyForRendering(true);
    context.makeCurrent(&surface);
    window->OpenGLInitContext();
    hasWindow = window->hasOpenGl();
    if (hasWindow)
        window->AddRenderer(&renderer);
    else
        problem = tooOldSentence(noneText());
    context.doneCurrent();
}

void GlCanvas::Parts::answer(vtkObject*, unsigned long event, void* self, void* data) {
    Parts& parts = *static_cast<Parts*>(self);
    if (event == vtkCommand::WindowMakeCurrentEvent)
        parts.context.makeCurrent(&parts.surface);
    else
        *static_cast<bool*>(data) = QOpenGLContext::currentContext() == &parts.context;
}

void GlCanvas::setSmoothEdges(bool areSmooth) {
    m_parts->window->SetMultiSamples(areSmooth ? kSamples : 0);
}

QImage GlCanvas::draw(QSize size) {
    Parts& parts = *m_parts;
    if (!parts.hasWindow || size.isEmpty()) return {};
    if (!parts.context.makeCurrent(&parts.surface)) {
        parts.problem =
            QCoreApplication::translate("gantry::GlCanvas",
                                        "The graphics driver stopped. Restart the program to see "
                                        "the 3D views again; everything else works.");
        return {};
    }
    parts.window->SetSize(size.width(), size.height());
    parts.window->Render();
    parts.window->GetRGBACharPixelData(0, 0, size.width() - 1, size.height() - 1, 1, parts.pixels);
    parts.context.doneCurrent();

    QImage image(size, QImage::Format_RGBA8888_Premultiplied);
    const std::size_t rowBytes = 4 * static_cast<std::size_t>(size.width());
    // OpenGL's first row is the bottom one.
    for (int row = 0; row < size.height(); ++row)
        std::memcpy(image.scanLine(size.height() - 1 - row),
                    parts.pixels->GetPointer(static_cast<vtkIdType>(row) * size.width() * 4),
                    rowBytes);
    return image.convertToFormat(QImage::Format_ARGB32_Premultiplied);
}

void GlCanvas::drawFirst(QSize size, std::function<void(const QImage&)> done) {
    Parts& parts = *m_parts;
    if (!QOpenGLContext::supportsThreadedOpenGL()) return done(draw(size));
    parts.thread.reset(QThread::create([this, size, gui = QThread::currentThread()] {
        m_parts->first = draw(size);
        m_parts->context.moveToThread(gui);
    }));
    parts.context.moveToThread(parts.thread.get());
    QObject::connect(parts.thread.get(), &QThread::finished, &parts.surface,
                     [this, done = std::move(done)] { done(m_parts->first); });
    parts.thread->start();
}

void GlCanvas::moveToThread(QThread& thread) {
    m_parts->context.moveToThread(&thread);
}

void GlCanvas::release(vtkProp& prop) {
    Parts& parts = *m_parts;
    if (!parts.hasWindow || !parts.context.makeCurrent(&parts.surface)) return;
    prop.ReleaseGraphicsResources(parts.window);
    parts.context.doneCurrent();
}

void applyCamera(const OrbitCamera& camera, QSizeF view, double sceneRadiusMm,
                 vtkRenderer& renderer) {
    const Vec3 eye = camera.eyeMm();
    const Vec3 up = camera.up();
    const double distance = camera.distanceMm();
    vtkCamera& target = *renderer.GetActiveCamera();
    target.SetPosition(eye.x, eye.y, eye.z);
    target.SetFocalPoint(camera.focusMm.x, camera.focusMm.y, camera.focusMm.z);
    target.SetViewUp(up.x, up.y, up.z);
    target.SetViewAngle(camera.verticalAngleDeg(view));
    target.SetWindowCenter(0, 0);
    target.SetClippingRange(std::max(distance - sceneRadiusMm, camera.minDepthMm()),
                            distance + sceneRadiusMm);
}

void lookAtRows(int first, int count, int viewRows, double verticalAngleDeg,
                vtkRenderer& renderer) {
    constexpr double kDeg = 180 / std::numbers::pi;
    const double share = static_cast<double>(count) / viewRows;
    vtkCamera& camera = *renderer.GetActiveCamera();
    camera.SetViewAngle(2 * kDeg * std::atan(share * std::tan(verticalAngleDeg / 2 / kDeg)));
    // The centre is in half heights of these rows, upwards from the middle.
    camera.SetWindowCenter(0, static_cast<double>(viewRows - 2 * first - count) / count);
}

}  // namespace gantry
